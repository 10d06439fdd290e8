import { ENTRY_WEIGHT, jsonLength, PART_WEIGHT, type PoliciesWeight } from '../decide/policy-weight.js';
import type { DecisionRow } from './decision-row.js';

/** Of a statement: 1,000 records of one matching policy each, something like 1 MB. */
export const BATCH_WEIGHT = 2_000 * PART_WEIGHT;
/** A violation repeats its policy in an incident and in an event. */
const VIOLATION_COPIES = 2;

/** Something like bytes. */
export interface Weight {
  /** What is kept in memory until it is written; what many decisions share counts with the first of them. */
  readonly held: number;
  /** What the statement takes: there, everything stands in every record. */
  readonly written: number;
}

/** What a record and its violations take to keep and to write, its policies included: quick to find out. */
export function weightOf(
  { attributes, request }: DecisionRow,
  violations: number,
  { held, written, told }: PoliciesWeight,
): Weight {
  const entries = entriesWeight(attributes.attributes) + entriesWeight(request?.attributes);
  return {
    held: PART_WEIGHT * (1 + VIOLATION_COPIES * violations) + held + entries,
    written: PART_WEIGHT * (1 + violations) + written + (violations > 0 ? told * VIOLATION_COPIES : 0) + entries,
  };
}

function entriesWeight(entries: Readonly<Record<string, unknown>> | null | undefined): number {
  let weight = 0;
  for (const name in entries) weight += ENTRY_WEIGHT + jsonLength(entries[name]);
  return weight;
}
