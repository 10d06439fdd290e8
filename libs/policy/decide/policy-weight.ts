/** Estimated number of bytes for the names, ids and JSON syntax of a record, of a policy in it, or of a violation. */
export const PART_WEIGHT = 512;
/** Estimated number of bytes for the JSON syntax around a value. */
export const ENTRY_WEIGHT = 64;
/** Estimated number of bytes of a policy in memory that several decisions share. */
export const REFERENCE_WEIGHT = 16;
/** Maximum length of a number, `true`, `false` and `null`. */
const PLAIN_LENGTH = 24;
/**
 * Up to this length, a text is assumed to need six characters per character, as in `\\u0001`. This is the most that
 * JSON escapes.
 */
const SHORT_TEXT = 330;

/** The estimated size of the policies of a decision, in bytes. */
export interface PoliciesWeight {
  /** Bytes in memory. An object that many decisions share is counted only for the first of them. */
  readonly held: number;
  /** Bytes as JSON text. Shared objects are counted for every decision, because the text repeats them. */
  readonly written: number;
  /** Bytes of the texts of the violations in incidents and events, with all operands. */
  readonly told: number;
}

/** The JSON text of a policy that several decisions share. */
export function policyWeight(conditions: readonly { readonly operand?: unknown; readonly value: unknown }[]): number {
  let weight = PART_WEIGHT;
  for (const { operand, value } of conditions) {
    weight += ENTRY_WEIGHT + jsonLength(value);
    if (operand !== undefined) weight += jsonLength(operand);
  }
  return weight;
}

/** Number of characters of a value as JSON. Numbers, booleans and null count as 24. */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length <= SHORT_TEXT ? value.length + 2 : JSON.stringify(value).length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : PLAIN_LENGTH;
}
