import { Clock, isUuid, option, PORT_METHODS, PricingCatalog, SpendGuard, UserDirectory } from '#core';
import { POLICY_RULES, type ConditionOperator, type PolicyOptions } from '#policy';
import type { PriceOverride } from '#usage';
import type { TestPolicy } from './governance-memory.js';
import type { TestPerson } from './people-in-memory.js';

/** Options of a test. All have defaults. */
export interface GovernanceTestingOptions {
  /**
   * Ids of existing organizations; `ensureOrganization` creates more. As in the real module, calls for an unknown
   * organization throw `OrganizationNotFoundError`. Default: none.
   */
  organizations?: readonly string[];
  /** The people that are known. Default: every person is an active member. */
  people?: readonly TestPerson[];
  /** The initial policies; `setPolicies` replaces them. Default: none. */
  policies?: readonly TestPolicy[];
  /** Prices in addition to the catalogue. Default: none. */
  prices?: readonly PriceOverride[];
  /** Default answers of decisions, as in `forRoot`. */
  decisions?: PolicyOptions;
  /** The host's own operators, as instances. Default: none. */
  conditionOperators?: readonly ConditionOperator[];
  /** The host's own directory; replaces `people`. */
  userDirectory?: UserDirectory;
  /** The host's own catalogue. Default: genai-prices. */
  pricingCatalog?: PricingCatalog;
  /** The host's own guard. Default: no limits. */
  spendGuard?: SpendGuard;
  /** Default: the machine's clock. */
  clock?: Clock;
}

/** Policies are checked when they are compiled, and prices when they are used. */
const ANY_OBJECT = option.instance([]);

const RULES = {
  organizations: option.list(option.rule(isUuid, 'must be a UUID')),
  people: option.list(
    option.section({
      email: option.required(option.text(), 'Give the address of the person'),
      id: option.rule(isUuid, 'must be a UUID'),
      name: option.rule(option.isText, 'must be a text'),
      department: option.rule(value => value === null || option.isText(value), 'must be a text or null'),
      role: option.rule(option.isText, 'must be a text'),
      status: option.choice(['active', 'inactive', 'suspended']),
      attributes: ANY_OBJECT,
    } satisfies option.RulesOf<TestPerson>),
  ),
  policies: option.list(ANY_OBJECT),
  prices: option.list(ANY_OBJECT),
  decisions: option.section(POLICY_RULES),
  conditionOperators: option.list(option.instance(['validateOperand', 'compile', 'matchesMissing'])),
  userDirectory: option.instance(PORT_METHODS.userDirectory),
  pricingCatalog: option.instance(PORT_METHODS.pricingCatalog),
  spendGuard: option.instance(PORT_METHODS.spendGuard),
  clock: option.instance(PORT_METHODS.clock),
} satisfies option.RulesOf<GovernanceTestingOptions>;

/** @throws Error with each invalid option and its path */
export function checkTestingOptions(options: GovernanceTestingOptions): void {
  const faults = option.optionFaults(RULES, options);
  if (faults.length === 0) return;
  throw new Error(`GovernanceTestingModule cannot start, because of its options:\n- ${faults.join('\n- ')}`);
}
