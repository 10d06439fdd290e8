import { isUuid, option } from '#core';
import { UNAVAILABLE_CHOICES, type UnavailableChoice } from './call.js';

/** Options of governed calls. */
export interface CallsOptions {
  /**
   * What happens to a call while no decision can be made: `refuse` answers 503; `allow` lets it pass, and counts and
   * logs it as an open pass. Default: `refuse`.
   */
  onUnavailable?: UnavailableChoice;
  /**
   * UUID of the organization for `@Governed` routes that name no organization. For hosts with a single organization.
   * Default: none.
   */
  organizationId?: string;
}

/** Validation rules of the options. */
export const CALLS_RULES = {
  onUnavailable: option.choice(UNAVAILABLE_CHOICES),
  organizationId: option.rule(isUuid, 'must be the UUID of an organization'),
} satisfies option.RulesOf<CallsOptions>;

/** Injection token of {@link CallsOptions}. */
export const CALLS_OPTIONS = Symbol('governance.calls-options');
