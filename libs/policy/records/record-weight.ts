import { ENTRY_WEIGHT, jsonLength, PART_WEIGHT, type PoliciesWeight } from '../decide/policy-weight.js';
import type { DecisionRow } from './decision-row.js';

/** Limit of a statement: 1,000 records of one matching policy each, about 1 MB. */
export const BATCH_WEIGHT = 2_000 * PART_WEIGHT;
/** A violation repeats its policy in an incident and in an event. */
const VIOLATION_COPIES = 2;

/** Weights in units that are roughly bytes. */
export interface Weight {
  /** Bytes in memory until the write. An object that many decisions share counts for the first of them only. */
  readonly held: number;
  /** Bytes of the statement. Every record repeats shared objects. */
  readonly written: number;
}

/**
 * Estimates the size of a record and its violations in memory and in the statement, including the policies. Cheap to
 * compute.
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
