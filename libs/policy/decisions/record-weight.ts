import { VIOLATION_SEVERITY } from '../decide/index.js';
import type { DecisionRow } from './decision-row.js';
import type { MatchedPolicy } from './decision.js';
import { jsonLength } from './json-length.js';

/** Names, ids and what surrounds them, of a record, of a policy in it and of a violation. */
export const PART_WEIGHT = 512;
const ENTRY_WEIGHT = 64;
/** A violation repeats its policy in an incident and in an event. */
const VIOLATION_COPIES = 2;

/** What a record and its violations take to keep and to write: something like bytes, and quick to find out. */
export function weightOf({ policies, attributes, request }: DecisionRow, violations: number): number {
  let weight = PART_WEIGHT * (1 + violations);
  for (const policy of policies) {
    const isViolation = violations > 0 && policy.action in VIOLATION_SEVERITY;
    weight += policyWeight(policy) * (isViolation ? 1 + VIOLATION_COPIES : 1);
  }
  return weight + entriesWeight(attributes.attributes) + entriesWeight(request?.attributes);
}

function policyWeight({ matched_conditions: conditions }: MatchedPolicy): number {
  let weight = PART_WEIGHT;
  for (const { operand, value } of conditions) {
    weight += ENTRY_WEIGHT + jsonLength(value);
    if (operand !== undefined) weight += jsonLength(operand);
  }
  return weight;
}

function entriesWeight(entries: Readonly<Record<string, unknown>> | null | undefined): number {
  let weight = 0;
  for (const name in entries) weight += ENTRY_WEIGHT + jsonLength(entries[name]);
  return weight;
}
