import { option } from '#core';
import { UNAVAILABLE_CHOICES, type UnavailableChoice } from './call.js';

/** How calls are governed. */
export interface CallsOptions {
  /**
   * What happens to a call while governance cannot decide: `refuse` it with a 503, or `allow` it, counted and logged as
   * an open pass. Default: `refuse`.
   */
  onUnavailable?: UnavailableChoice;
}

/** What the options may be. */
export const CALLS_RULES = {
  onUnavailable: option.choice(UNAVAILABLE_CHOICES),
} satisfies option.RulesOf<CallsOptions>;

/** Injection token of {@link CallsOptions}. */
export const CALLS_OPTIONS = Symbol('governance.calls-options');
