/** A JSON object whose fields are not yet validated. */
export type JsonRecord = Record<string, unknown>;

/** The value as an object; undefined if it is not an object. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** The value as an integer; undefined if it is not an integer. */
export function asInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
}
