import { option } from '#core';

/** Limits and timeouts of calls to LLM providers. */
export interface GatewayOptions {
  /** Largest body of a request, in bytes. Default: 10,485,760 (10 MiB). */
  maxBodyBytes?: number;
  /** Time to connect to a provider, in milliseconds. Default: 5,000. */
  connectTimeoutMs?: number;
  /**
   * Time until a provider begins to answer, in milliseconds. Default: 600,000, the default timeout of the providers'
   * SDKs.
   */
  firstByteTimeoutMs?: number;
  /** Longest pause between two parts of an answer, in milliseconds. Default: 300,000. */
  idleTimeoutMs?: number;
  /**
   * Retries of a call that certainly did not reach the provider, for example because the connection was refused. A
   * request that may have arrived is never sent again. Default: 2.
   */
  retries?: number;
  /**
   * Time in milliseconds for running answers to finish after the shutdown begins. Answers that take longer are aborted.
   * Default: 10,000.
   */
  shutdownGraceMs?: number;
}

/** Validation rules of the options. */
export const GATEWAY_RULES = {
  maxBodyBytes: option.whole(1_024, 104_857_600),
  connectTimeoutMs: option.whole(1, 10_000),
  firstByteTimeoutMs: option.whole(1, 3_600_000),
  idleTimeoutMs: option.whole(1, 3_600_000),
  retries: option.whole(0, 10),
  shutdownGraceMs: option.whole(0, 600_000),
} satisfies option.RulesOf<GatewayOptions>;

/** Default values of the options. */
export const GATEWAY_DEFAULTS = {
  maxBodyBytes: 10 * 1024 * 1024,
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 600_000,
  idleTimeoutMs: 300_000,
  retries: 2,
  shutdownGraceMs: 10_000,
} as const satisfies Required<GatewayOptions>;

/** Injection token of {@link GatewayOptions}. */
export const GATEWAY_OPTIONS = Symbol('governance.gateway-options');
