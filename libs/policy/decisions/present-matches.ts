import type { JsonObject } from '#core';
import { type DecidablePolicy, type MatchedCondition, type PolicyMatch, VIOLATION_SEVERITY } from '../decide/index.js';
import type { MatchedPolicy, ShownCondition } from '../records/decision.js';
import { jsonLength } from '../records/json-length.js';
import { noteWeight, policyWeight, shownWeight } from '../records/record-weight.js';

// Longer operands are not repeated in every decision; the policy's version says where to read them.
const OPERAND_ENTRIES_SHOWN = 100;
const OPERAND_LENGTH_SHOWN = 2_000;
/** Of all operands of one decision. A policy whose operands do not fit is shown without them, as are those after it. */
const OPERANDS_LENGTH_SHOWN = 64_000;

const NONE: readonly MatchedPolicy[] = Object.freeze([]);

/** A policy as it is shown with its operands, and without them where there is no room. */
interface Presentation {
  readonly policy: MatchedPolicy;
  /** Length of the operands. */
  readonly operands: number;
  readonly weight: number;
  /** The conditions as JSON, which has no undefined; made when an event first tells of them. */
  told?: JsonObject[string];
  bare?: { readonly policy: MatchedPolicy; readonly weight: number };
}

/**
 * How each policy was shown last. Decisions about the same person, or about people who do not differ in what the policy
 * asks, share it: 100 decisions with 10,000 matches each would otherwise take hundreds of megabytes.
 */
const LATEST = new WeakMap<DecidablePolicy, Presentation>();

/** The policies of a decision, as they are answered and recorded. */
export function presentMatches(matches: readonly PolicyMatch[]): readonly MatchedPolicy[] {
  if (matches.length === 0) return NONE;
  const weight = { held: 0, written: 0, told: 0 };
  let room = OPERANDS_LENGTH_SHOWN;
  const shown = matches.map(match => {
    const { presentation, isNew } = presentationOf(match);
    const { operands } = presentation;
    const isFull = operands === 0 || operands <= room;
    room = isFull ? room - operands : 0;
    const { policy, weight: written } = isFull ? presentation : (presentation.bare ??= without(presentation.policy));
    weight.held += shownWeight(policy, isNew);
    weight.written += written;
    if (policy.action in VIOLATION_SEVERITY) weight.told += presentation.weight;
    return policy;
  });
  noteWeight(shown, weight);
  return shown;
}

/** The conditions of one match, as an event tells of them: with their operands, however many other matches there are. */
export function toldConditions(match: PolicyMatch): JsonObject[string] {
  const { presentation } = presentationOf(match);
  // What was JSON is JSON.
  presentation.told ??= JSON.parse(JSON.stringify(presentation.policy.matched_conditions)) as JsonObject[string];
  return presentation.told;
}

function presentationOf(match: PolicyMatch): { presentation: Presentation; isNew: boolean } {
  const before = LATEST.get(match.policy);
  if (before && match.hasSeen(before.policy.matched_conditions)) return { presentation: before, isNew: false };
  const { id, name, action, version } = match.policy;
  const conditions = match.matchedConditions.map(condition => Object.freeze(withoutLongOperand(condition)));
  // Shared by many decisions: a host that changed one would change them all.
  const policy = Object.freeze({ id, name, action, version, matched_conditions: Object.freeze(conditions) });
  let operands = 0;
  for (const { operand } of conditions) if (operand !== undefined) operands += jsonLength(operand);
  const presentation: Presentation = { policy, operands, weight: policyWeight(policy) };
  LATEST.set(match.policy, presentation);
  return { presentation, isNew: true };
}

function without({ matched_conditions: conditions, ...policy }: MatchedPolicy): NonNullable<Presentation['bare']> {
  const bare = conditions.map(({ attribute, operator, value }) => Object.freeze({ attribute, operator, value }));
  const shown = Object.freeze({ ...policy, matched_conditions: Object.freeze(bare) });
  return { policy: shown, weight: policyWeight(shown) };
}

/** A condition without its operand, where that is a list of many entries or has much text. */
export function withoutLongOperand(condition: MatchedCondition): ShownCondition {
  const { attribute, operator, operand, value } = condition;
  return isLong(operand) ? { attribute, operator, value } : condition;
}

function isLong(operand: unknown): boolean {
  if (Array.isArray(operand) && operand.length > OPERAND_ENTRIES_SHOWN) return true;
  return jsonLength(operand) > OPERAND_LENGTH_SHOWN;
}
