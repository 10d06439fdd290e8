import { VIOLATION_SEVERITY } from '../decide/index.js';
import type { DecisionRow } from './decision-row.js';
import type { MatchedPolicy } from './decision.js';
import { jsonLength } from './json-length.js';

/** Names, ids and what surrounds them, of a record, of a policy in it and of a violation. */
export const PART_WEIGHT = 512;
/** Of a statement: 1,000 records of one matching policy each, something like 1 MB. */
export const BATCH_WEIGHT = 2_000 * PART_WEIGHT;
const ENTRY_WEIGHT = 64;
/** A violation repeats its policy in an incident and in an event. */
const VIOLATION_COPIES = 2;
/** Of a policy that several decisions show. */
const REFERENCE_WEIGHT = 16;

/** Something like bytes. */
export interface Weight {
  /** What is kept in memory until it is written; what many decisions share counts with the first of them. */
  readonly held: number;
  /** What the statement takes: there, everything stands in every record. */
  readonly written: number;
}

/** Of the policies of a decision. */
export interface PoliciesWeight extends Weight {
  /** Of those whose match is a violation, as an incident and an event show them. */
  readonly told: number;
}

const WEIGHED = new WeakMap<readonly MatchedPolicy[], PoliciesWeight>();

/** Notes what the policies of a decision weigh, where whoever made the list knows more than the list shows. */
export function noteWeight(policies: readonly MatchedPolicy[], weight: PoliciesWeight): void {
  WEIGHED.set(policies, weight);
}

/** What the policies of a decision weigh. */
export function policiesWeight(policies: readonly MatchedPolicy[]): PoliciesWeight {
  return WEIGHED.get(policies) ?? sumOf(policies);
}

/** What a record and its violations take to keep and to write: quick to find out. */
export function weightOf({ policies, attributes, request }: DecisionRow, violations: number): Weight {
  const entries = entriesWeight(attributes.attributes) + entriesWeight(request?.attributes);
  const { held, written, told } = policiesWeight(policies);
  return {
    held: PART_WEIGHT * (1 + VIOLATION_COPIES * violations) + held + entries,
    written: PART_WEIGHT * (1 + violations) + written + (violations > 0 ? told * VIOLATION_COPIES : 0) + entries,
  };
}

/** The memory of a shown policy that is new, or only the reference to one that others show. */
export function shownWeight({ matched_conditions: { length } }: MatchedPolicy, isNew: boolean): number {
  return REFERENCE_WEIGHT + (isNew ? PART_WEIGHT + length * ENTRY_WEIGHT : 0);
}

/** The text of a shown policy. */
export function policyWeight({ matched_conditions: conditions }: MatchedPolicy): number {
  let weight = PART_WEIGHT;
  for (const { operand, value } of conditions) {
    weight += ENTRY_WEIGHT + jsonLength(value);
    if (operand !== undefined) weight += jsonLength(operand);
  }
  return weight;
}

function sumOf(policies: readonly MatchedPolicy[]): PoliciesWeight {
  const sum = { held: 0, written: 0, told: 0 };
  for (const policy of policies) {
    const written = policyWeight(policy);
    sum.held += shownWeight(policy, true);
    sum.written += written;
    if (policy.action in VIOLATION_SEVERITY) sum.told += written;
  }
  return sum;
}

function entriesWeight(entries: Readonly<Record<string, unknown>> | null | undefined): number {
  let weight = 0;
  for (const name in entries) weight += ENTRY_WEIGHT + jsonLength(entries[name]);
  return weight;
}
