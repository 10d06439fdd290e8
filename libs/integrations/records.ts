/** An object of JSON, its members not yet checked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether a value is an object of JSON, and no list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of a value that may be an object; undefined otherwise. */
export function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
