// Governs the requests of Anthropic's SDK, by its option `fetch`. Carries no SDK along.
import type { CallSource } from '../call/caller.js';
import { governedFetchOf, type CallerOfFetch, type GovernedFetchOptions } from '../fetch/governed-fetch.js';

export type { Caller, CallSource } from '../call/caller.js';
export { AnswerCutShortError } from '../fetch/governed-body.js';
export type { CallerOfFetch, FetchContext, GovernedFetchOptions } from '../fetch/governed-fetch.js';

/**
 * A `fetch` for `new Anthropic({ fetch })`: each attempt at messages is decided before it is sent, and settled by what it
 * used, cached tokens and streams included.
 *
 * A refusal is an answer in Anthropic's error object (402, 403, 429), which the SDK raises as its own error and does not
 * retry. An attempt that fails gives its reservation back. A stream that breaks off or is left is settled by what was
 * streamed; one that ends in the middle reaches the caller as an {@link AnswerCutShortError}.
 *
 * @param calls what opens calls: `GovernedCalls` of the module
 * @param callerOf says for whom a request is made; called before each attempt
 */
export function governedFetch(
  calls: CallSource,
  callerOf: CallerOfFetch,
  options: GovernedFetchOptions = {},
): typeof fetch {
  return governedFetchOf('anthropic', calls, callerOf, options);
}
