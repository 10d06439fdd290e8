import type { JsonObject } from '#core';
import { VIOLATION_SEVERITY, type PolicyAction } from './action.js';
import type { DecidablePolicy } from './decidable-policy.js';
import type { MatchedCondition, PolicyMatch } from './policy-match.js';
import {
  ENTRY_WEIGHT,
  jsonLength,
  PART_WEIGHT,
  policyWeight,
  REFERENCE_WEIGHT,
  type PoliciesWeight,
} from './policy-weight.js';

// Longer operands are not repeated in every decision; the policy's version says where to read them.
const OPERAND_ENTRIES_SHOWN = 100;
const OPERAND_LENGTH_SHOWN = 2_000;
/** Of all operands of one decision. A policy whose operands do not fit is shown without them, as are those after it. */
const OPERANDS_LENGTH_SHOWN = 64_000;

const NOTHING: PresentedPolicies = { policies: Object.freeze([]), weight: { held: 0, written: 0, told: 0 } };

/** A condition that held. */
export interface ShownCondition {
  readonly attribute: string;
  readonly operator: string;
  /**
   * As it stands in the policy; left out where it is a list of more than 100 entries, or longer than 2,000 characters as
   * JSON, and from the policy on whose operands would make more than 64,000 characters in one decision.
   */
  readonly operand?: unknown;
  /** As the directory or the request had it; null when it was missing. */
  readonly value: unknown;
}

/** A policy that matched, as it was then. */
export interface MatchedPolicy {
  readonly id: string;
  readonly name: string;
  readonly action: PolicyAction;
  readonly version: number;
  readonly matched_conditions: readonly ShownCondition[];
}

/** The policies of a decision, as they are answered and recorded, and what they weigh. */
export interface PresentedPolicies {
  readonly policies: readonly MatchedPolicy[];
  readonly weight: PoliciesWeight;
}

/** A policy as it is shown, and the weight of its text. */
interface Presentation {
  readonly policy: MatchedPolicy;
  readonly weight: number;
}

/** What is known of a policy that has matched before. */
interface KnownPolicy {
  /** Lengths of its operands as JSON, in the order of its conditions; undefined for those that are too long to be shown. */
  readonly operands: readonly (number | undefined)[];
  /** Length of all operands that are shown. */
  readonly length: number;
  /** As it was shown last, with its operands. */
  latest: Presentation;
  /** The same without operands; made when a decision has no room for them. */
  bare?: Presentation | undefined;
  /** The latest conditions as JSON, which has no undefined; made when an event first tells of them. */
  told?: JsonObject[string] | undefined;
}

/**
 * Shows the policies that matched. There is one presenter for each set of compiled policies. It keeps how each policy was
 * shown last: decisions about the same person, or about people who do not differ in what the policy asks, share that.
 * 100 decisions with 10,000 matches each would otherwise take hundreds of megabytes.
 */
export class PolicyPresenter {
  private readonly known = new Map<DecidablePolicy, KnownPolicy>();

  /** Shows the policies of one decision, in the order of the matches. */
  present(matches: readonly PolicyMatch[]): PresentedPolicies {
    if (matches.length === 0) return NOTHING;
    const weight = { held: 0, written: 0, told: 0 };
    let room = OPERANDS_LENGTH_SHOWN;
    const policies = matches.map(match => {
      const { known, isNew } = this.lookUp(match);
      const { length } = known;
      const isFull = length === 0 || length <= room;
      room = isFull ? room - length : 0;
      const { policy, weight: written } = isFull ? known.latest : (known.bare ??= without(known.latest.policy));
      weight.held += REFERENCE_WEIGHT;
      if (isNew) weight.held += PART_WEIGHT + policy.matched_conditions.length * ENTRY_WEIGHT;
      weight.written += written;
      if (policy.action in VIOLATION_SEVERITY) weight.told += known.latest.weight;
      return policy;
    });
    return { policies, weight };
  }

  /** The conditions of one match, as an event tells of them: with their operands, however many other matches there are. */
  told(match: PolicyMatch): JsonObject[string] {
    const { known } = this.lookUp(match);
    // What was JSON is JSON.
    known.told ??= JSON.parse(JSON.stringify(known.latest.policy.matched_conditions)) as JsonObject[string];
    return known.told;
  }

  private lookUp(match: PolicyMatch): { known: KnownPolicy; isNew: boolean } {
    const before = this.known.get(match.policy);
    if (before && match.hasSeen(before.latest.policy.matched_conditions)) return { known: before, isNew: false };
    const { policy, matchedConditions: conditions } = match;
    const operands = before?.operands ?? conditions.map(({ operand }) => shownLength(operand));
    const length = before?.length ?? operands.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    const known: KnownPolicy = { operands, length, latest: presentationOf(policy, conditions, operands) };
    this.known.set(policy, known);
    return { known, isNew: true };
  }
}

function presentationOf(
  { id, name, action, version }: DecidablePolicy,
  conditions: readonly MatchedCondition[],
  operands: readonly (number | undefined)[],
): Presentation {
  let weight = PART_WEIGHT;
  const shown = conditions.map((condition, at) => {
    const length = operands[at];
    weight += ENTRY_WEIGHT + jsonLength(condition.value) + (length ?? 0);
    return Object.freeze(length === undefined ? withoutOperand(condition) : condition);
  });
  // Shared by many decisions: a host that changed one would change them all.
  const policy = Object.freeze({ id, name, action, version, matched_conditions: Object.freeze(shown) });
  return { policy, weight };
}

function without({ matched_conditions: conditions, ...policy }: MatchedPolicy): Presentation {
  const bare = conditions.map(condition => Object.freeze(withoutOperand(condition)));
  const shown = Object.freeze({ ...policy, matched_conditions: Object.freeze(bare) });
  return { policy: shown, weight: policyWeight(shown.matched_conditions) };
}

function withoutOperand({ attribute, operator, value }: ShownCondition): ShownCondition {
  return { attribute, operator, value };
}

/** A condition without its operand, where that is a list of many entries or has much text. */
export function withoutLongOperand(condition: MatchedCondition): ShownCondition {
  return shownLength(condition.operand) === undefined ? withoutOperand(condition) : condition;
}

/** The length of an operand that is shown; undefined where it is too long. */
function shownLength(operand: unknown): number | undefined {
  if (Array.isArray(operand) && operand.length > OPERAND_ENTRIES_SHOWN) return undefined;
  const length = jsonLength(operand);
  return length > OPERAND_LENGTH_SHOWN ? undefined : length;
}
