import { ENTRY_WEIGHT, jsonLength, PART_WEIGHT, type PoliciesWeight } from '../decide/policy-weight.js';
import type { DecisionRow } from './decision-row.js';

/** Maximum weight of a statement: 1,000 records with one matching policy each, about 1 MB. */
export const BATCH_WEIGHT = 2_000 * PART_WEIGHT;
/** For each violation, an incident and an event each contain a copy of the policy. */
const VIOLATION_COPIES = 2;

/** Estimated sizes; a unit is roughly a byte. */
export interface Weight {
  /**
   * Size in memory until the record is written. An object that many decisions share is counted only for the first of
   * them.
   */
  readonly held: number;
  /** Size in the statement. Shared objects are counted for every record, because each record repeats them. */
  readonly written: number;
}

/**
 * Estimates the size of a record and its violations, in memory and in the statement. The estimate includes the
 * policies. Cheap to compute.
 */
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
