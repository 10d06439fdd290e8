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

// Longer operands are not copied into every decision. They can be read in the history, by the policy's version.
const OPERAND_ENTRIES_SHOWN = 100;
const OPERAND_LENGTH_SHOWN = 2_000;
/**
 * Limit for all operands of one decision together. The first policy whose operands do not fit and all later policies
 * are shown without operands.
 */
const OPERANDS_LENGTH_SHOWN = 64_000;

const NOTHING: PresentedPolicies = { policies: Object.freeze([]), weight: { held: 0, written: 0, told: 0 } };

/** A condition that matched, as it is shown. */
export interface ShownCondition {
  readonly attribute: string;
  readonly operator: string;
  /**
   * The operand in the policy. Omitted if it is a list of more than 100 entries, or longer than 2,000 characters as
   * JSON. Once the operands of one decision exceed 64,000 characters, the remaining policies are shown without
   * operands.
   */
  readonly operand?: unknown;
  /** The value from the directory or the request; null if it was missing. */
  readonly value: unknown;
}

/** A policy that matched, with the version that was evaluated. */
export interface MatchedPolicy {
  readonly id: string;
  readonly name: string;
  readonly action: PolicyAction;
  readonly version: number;
  readonly matched_conditions: readonly ShownCondition[];
}

/** The policies of a decision in the form of the response and of the record, with their estimated size in bytes. */
export interface PresentedPolicies {
  readonly policies: readonly MatchedPolicy[];
  readonly weight: PoliciesWeight;
}

/** The shown form of a policy, and the estimated size of its text. */
interface Presentation {
  readonly policy: MatchedPolicy;
  readonly weight: number;
}

/** Cached data of a policy that has matched before. */
interface KnownPolicy {
  /**
   * Lengths of the policy's operands as JSON, in the order of its conditions. Undefined for operands that are too long
   * to be shown.
   */
  readonly operands: readonly (number | undefined)[];
  /** Total length of the operands that are shown. */
  readonly length: number;
  /** The last shown form, with operands. */
  latest: Presentation;
  /** The shown form without operands. Created when a decision exceeds the limit for the first time. */
  bare?: Presentation | undefined;
  /** The latest conditions as JSON, without undefined values. Created when an event needs them for the first time. */
  told?: JsonObject[string] | undefined;
}

/**
 * Creates the shown form of the policies that matched. There is one presenter for each set of compiled policies. It
 * caches the last form of each policy. Decisions share a form if the attributes that the policy compares have equal
 * values. Without the cache, 100 decisions with 10,000 matches each would take hundreds of megabytes.
 */
export class PolicyPresenter {
  private readonly known = new Map<DecidablePolicy, KnownPolicy>();

  /** The shown form of the policies of one decision, in the order of the matches. */
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

  /**
   * The conditions of one match for an event. They always contain their operands, regardless of the number of other
   * matches.
   */
  told(match: PolicyMatch): JsonObject[string] {
    const { known } = this.lookUp(match);
    // The value was parsed from JSON, so the type is correct.
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
  // The object is frozen, because many decisions share it.
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

/** A condition. Its operand is removed if it is too long to be shown. */
export function withoutLongOperand(condition: MatchedCondition): ShownCondition {
  return shownLength(condition.operand) === undefined ? withoutOperand(condition) : condition;
}

/** The length of an operand; undefined if it is too long to be shown. */
function shownLength(operand: unknown): number | undefined {
  if (Array.isArray(operand) && operand.length > OPERAND_ENTRIES_SHOWN) return undefined;
  const length = jsonLength(operand);
  return length > OPERAND_LENGTH_SHOWN ? undefined : length;
}
