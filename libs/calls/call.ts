import type { HostTransaction } from '#database';
import type { Decision, DecisionCaller, DecisionInput } from '#policy';

/** One request to a provider, with the fields of `POST /v1/decisions`. */
export type CallRequest = DecisionInput;

/** What happens to a call while governance cannot decide, because its database or user directory is unavailable. */
export const UNAVAILABLE_CHOICES = ['refuse', 'allow'] as const;

/** See {@link UNAVAILABLE_CHOICES}. */
export type UnavailableChoice = (typeof UNAVAILABLE_CHOICES)[number];

/** Usage of an answer: reported by the provider, or counted from the stream. */
export interface CallUsage {
  /**
   * The provider's id of the answer. With this id, the usage counts once even if another source also reports it.
   * Default: an id of the call.
   */
  readonly id?: string | undefined;
  /** The model that answered. Default: the model of the request. */
  readonly model?: string | undefined;
  /** The tier that served the call. Default: the tier that `usage` names, or else the tier of the request. */
  readonly service_tier?: CallRequest['service_tier'] | undefined;
  /**
   * The provider's region that served the call. Default: the region that `usage` names, or else the region of the
   * request.
   */
  readonly region?: string | undefined;
  /** The provider's usage object, unchanged. Replaces the token counts below. */
  readonly usage?: unknown;
  /** The format of `usage`, by its name in genai-prices: `chat`, `responses`, `anthropic`, `embeddings`. */
  readonly api_flavor?: string | undefined;
  /** Total input tokens. Default if `usage` is missing: the estimate of the request. */
  readonly input_tokens?: number | undefined;
  /** Total output tokens. Default if `usage` is missing: the tokens that were written ahead. */
  readonly output_tokens?: number | undefined;
  /** Whether the tokens are an estimate. If true, the metadata of the usage event states it. Default: false. */
  readonly estimated?: boolean | undefined;
}

/**
 * Options for opening a call. With `em` or `tx`, everything that the call writes belongs to that transaction of the
 * host.
 */
export interface OpenOptions extends HostTransaction {
  /** Default: the module's option `calls.onUnavailable`. */
  readonly onUnavailable?: UnavailableChoice | undefined;
  /** Restrictions and defaults of the caller's credential; see `callerOf`. */
  readonly caller?: DecisionCaller | undefined;
}

/**
 * A call that was allowed and has not ended. End it with `settle` or `release`. After the first of these, further ones
 * have no effect.
 */
export interface OpenCall {
  /** The decision. Undefined if no decision could be made, and the host allows calls without one. */
  readonly decision: Decision | undefined;
  /**
   * Writes ahead that up to this many output tokens may be passed on. Once it resolves, these tokens and the prompt are
   * counted even if the process dies. Returns undefined if this number was already written, so that hot loops need not
   * wait. Rejects with an UnavailableError if the number cannot be written. Do not pass on more tokens then.
   */
  cover(outputTokens: number): Promise<void> | undefined;
  /**
   * Stores the usage. Once it resolves, the usage is safe, even if this process dies or the database crashes. Budgets
   * and reports include it within a second.
   * @throws UnavailableError if it cannot be stored in time; retries continue while the process lives
   */
  settle(usage: CallUsage): Promise<void>;
  /**
   * Releases the reservation of a call for which the provider served nothing. Does not reject in an outage: the
   * reservation then expires.
   */
  release(): Promise<void>;
  /** Restarts the full term of the reservation. Does nothing without a reservation. */
  extend(): Promise<void>;
}
