/** A JSON object whose members are not yet validated. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object and not a list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a value; undefined if the value is not an object. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
