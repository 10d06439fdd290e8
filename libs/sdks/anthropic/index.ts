// Governs requests of Anthropic's SDK, through its option `fetch`. Does not depend on the SDK.
import type { CallSource } from '../call/caller.js';
import { governedFetchOf, type CallerOfFetch, type GovernedFetchOptions } from '../fetch/governed-fetch.js';

export type { Caller, CallSource } from '../call/caller.js';
export { AnswerCutShortError } from '../fetch/governed-body.js';
export type { CallerOfFetch, FetchContext, GovernedFetchOptions } from '../fetch/governed-fetch.js';

/**
 * A `fetch` for `new Anthropic({ fetch })`. Requests a decision before each attempt at a message, and records the usage
 * after it, including cached tokens and streams. A refusal is a response in Anthropic's error format (402, 403, 429).
 * The SDK throws it as its own error and does not retry it. A failed attempt releases its reservation. A stream that
 * fails or is canceled is recorded with the tokens that were streamed. If the provider ends an answer early, the caller
 * gets an {@link AnswerCutShortError}.
 * @param calls opens the calls: `GovernedCalls` of the module
 * @param callerOf returns the caller; called before each attempt
 */
export function governedFetch(
  calls: CallSource,
  callerOf: CallerOfFetch,
  options: GovernedFetchOptions = {},
): typeof fetch {
  return governedFetchOf('anthropic', calls, callerOf, options);
}
