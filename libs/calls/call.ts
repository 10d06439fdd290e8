import type { HostTransaction } from '#database';
import type { Decision, DecisionCaller, DecisionInput } from '#policy';

/** One request to a provider, in the words of `POST /v1/decisions`. */
export type CallRequest = DecisionInput;

/** Handling of a call while governance cannot decide, because its database or user directory is unavailable. */
export const UNAVAILABLE_CHOICES = ['refuse', 'allow'] as const;

/** See {@link UNAVAILABLE_CHOICES}. */
export type UnavailableChoice = (typeof UNAVAILABLE_CHOICES)[number];

/** Usage of an answer: as reported by the provider, or counted from the stream. */
export interface CallUsage {
  /** The provider's id of the answer, which makes it count once however it is reported. Default: an id of the call's own. */
  readonly id?: string | undefined;
  /** The model that answered. Default: the model of the request. */
  readonly model?: string | undefined;
  /** The tier that served the call. Default: the one that `usage` names, or that the request asked for. */
  readonly service_tier?: CallRequest['service_tier'] | undefined;
  /** The provider's region that served the call. Default: the one that `usage` names, or that of the request. */
  readonly region?: string | undefined;
  /** The provider's usage object as it came, instead of token counts. */
  readonly usage?: unknown;
  /** How `usage` is to be read, by the names of genai-prices: `chat`, `responses`, `anthropic`, `embeddings`. */
  readonly api_flavor?: string | undefined;
  /** All tokens of the prompt. Default without `usage`: what the request estimated. */
  readonly input_tokens?: number | undefined;
  /** All tokens of the answer. Default without `usage`: what was covered. */
  readonly output_tokens?: number | undefined;
  /** Whether the tokens are an estimate; the usage event says so in its metadata. Default: false. */
  readonly estimated?: boolean | undefined;
}

/** How a call is opened. With `em` or `tx` all that it writes belongs to that transaction of the host's. */
export interface OpenOptions extends HostTransaction {
  /** Default: the module's option `calls.onUnavailable`. */
  readonly onUnavailable?: UnavailableChoice | undefined;
  /** What the credential says that the call comes with; see `callerOf`. */
  readonly caller?: DecisionCaller | undefined;
}

/** A call that was allowed and has not ended. End it by `settle` or `release`; the first one counts. */
export interface OpenCall {
  /** Undefined where governance could not decide and the host chose to allow calls meanwhile. */
  readonly decision: Decision | undefined;
  /**
   * Writes ahead that this many output tokens may have been passed on. Once it resolves, a process that dies counts at
   * least them and the prompt for the person. Undefined where that was written before, so that hot loops need not wait.
   * The promise rejects with an UnavailableError where it cannot be written: pass nothing more on.
   */
  cover(outputTokens: number): Promise<void> | undefined;
  /**
   * Stores what was used. When it resolves, neither the end of this process nor a crash of the database loses it. Budgets
   * and reports have it within a second.
   * @throws UnavailableError where it cannot be stored in time; it is tried again as long as the process lives
   */
  settle(usage: CallUsage): Promise<void>;
  /**
   * Releases the reservation, because nothing was served. Does not reject in an outage; the reservation then expires.
   */
  release(): Promise<void>;
  /** Keeps the reservation for its whole term from now on. Does nothing where nothing is reserved. */
  extend(): Promise<void>;
}
