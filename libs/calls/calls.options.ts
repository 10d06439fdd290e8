import { isUuid, option } from '#core';
import { UNAVAILABLE_CHOICES, type UnavailableChoice } from './call.js';

/** Options of governed calls. */
export interface CallsOptions {
  /**
   * What to do with a call while no decision can be made: `refuse` it with a 503, or `allow` it, counted and logged as
   * an open pass. Default: `refuse`.
   */
  onUnavailable?: UnavailableChoice;
  /** UUID of the organization of `@Governed` routes that name none, for hosts that have one. Default: none. */
  organizationId?: string;
}

/** Validation rules of the options. */
export const CALLS_RULES = {
  onUnavailable: option.choice(UNAVAILABLE_CHOICES),
  organizationId: option.rule(isUuid, 'must be the UUID of an organization'),
} satisfies option.RulesOf<CallsOptions>;

/** Injection token of {@link CallsOptions}. */
export const CALLS_OPTIONS = Symbol('governance.calls-options');
