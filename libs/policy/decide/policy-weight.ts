/** Estimated bytes of the names, ids and JSON syntax of a record, of a policy in it, and of a violation. */
export const PART_WEIGHT = 512;
/** JSON syntax around a value. */
export const ENTRY_WEIGHT = 64;
/** For a policy that several decisions share. */
export const REFERENCE_WEIGHT = 16;
/** Maximum length of a number, `true`, `false` and `null`. */
const PLAIN_LENGTH = 24;
/** JSON may escape every character of a text into six, as in `\\u0001`. */
const SHORT_TEXT = 330;

/** The estimated size of the policies of a decision, in bytes. */
export interface PoliciesWeight {
  /** Bytes in memory. An object that many decisions share counts for the first of them only. */
  readonly held: number;
  /** Bytes as JSON text. Shared objects count in every decision, because the text repeats them. */
  readonly written: number;
  /** Bytes as text of the violations, with all operands, as incidents and events contain them. */
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

/** Characters that a JSON value takes; numbers and the like count as 24. */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length <= SHORT_TEXT ? value.length + 2 : JSON.stringify(value).length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : PLAIN_LENGTH;
}
