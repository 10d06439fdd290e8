/** An object of JSON whose fields are still to be checked. */
export type JsonRecord = Record<string, unknown>;

/** The value as an object; undefined where it is none. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** The value as a whole number; undefined where it is none. */
export function asInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
