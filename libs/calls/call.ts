import type { HostTransaction } from '#database';
import type { Decision, DecisionCaller, DecisionInput } from '#policy';

/** One request to a provider, with the fields of `POST /v1/decisions`. */
export type CallRequest = DecisionInput;

/** Handling of a call while governance cannot decide, because its database or user directory is unavailable. */
export const UNAVAILABLE_CHOICES = ['refuse', 'allow'] as const;

/** See {@link UNAVAILABLE_CHOICES}. */
export type UnavailableChoice = (typeof UNAVAILABLE_CHOICES)[number];

/** Usage of an answer: as reported by the provider, or counted from the stream. */
export interface CallUsage {
  /**
   * The provider's id of the answer. With it, the usage counts once even if it is reported twice. Default: an id of the
   * call.
   */
  readonly id?: string | undefined;
  /** The model that answered. Default: the model of the request. */
  readonly model?: string | undefined;
  /** The tier that served the call. Default: the one that `usage` names, or that the request asked for. */
  readonly service_tier?: CallRequest['service_tier'] | undefined;
  /** The provider's region that served the call. Default: the one that `usage` names, or that of the request. */
  readonly region?: string | undefined;
  /** The provider's usage object, unchanged, instead of token counts. */
  readonly usage?: unknown;
  /** The format of `usage`, as genai-prices names it: `chat`, `responses`, `anthropic`, `embeddings`. */
  readonly api_flavor?: string | undefined;
  /** Total input tokens. Default without `usage`: the request's estimate. */
  readonly input_tokens?: number | undefined;
  /** Total output tokens. Default without `usage`: the covered tokens. */
  readonly output_tokens?: number | undefined;
  /** Whether the tokens are an estimate; the usage event says so in its metadata. Default: false. */
  readonly estimated?: boolean | undefined;
}

/** How a call is opened. With `em` or `tx`, everything that it writes belongs to that transaction of the host. */
export interface OpenOptions extends HostTransaction {
  /** Default: the module's option `calls.onUnavailable`. */
  readonly onUnavailable?: UnavailableChoice | undefined;
  /** Limits and defaults of the credential; see `callerOf`. */
  readonly caller?: DecisionCaller | undefined;
}

/** A call that was allowed and has not ended. End it with `settle` or `release`; only the first one counts. */
export interface OpenCall {
  /** Undefined if no decision could be made and the host allows calls meanwhile. */
  readonly decision: Decision | undefined;
  /**
   * Writes ahead that this many output tokens may have been passed on. Once it resolves, they and the prompt are
   * counted even if the process dies. Returns undefined if that was written before, so that hot loops need not wait.
   * Rejects with an UnavailableError if it cannot be written: then pass nothing more on.
   */
  cover(outputTokens: number): Promise<void> | undefined;
  /**
   * Stores the usage. Once it resolves, neither the end of this process nor a crash of the database loses it. Budgets
   * and reports include it within a second.
   * @throws UnavailableError if it cannot be stored in time; retries continue while the process lives
   */
  settle(usage: CallUsage): Promise<void>;
  /**
   * Releases the reservation, because nothing was served. Does not reject in an outage; the reservation then expires.
   */
  release(): Promise<void>;
  /** Extends the reservation for its full term from now. Does nothing without a reservation. */
  extend(): Promise<void>;
}
