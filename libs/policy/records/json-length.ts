const LENGTHS = new WeakMap<object, number>();

/** At least as long as any number, `true`, `false` and `null`. */
const PLAIN_LENGTH = 24;
/** Every character of a text may become six, as in `\\u0001`. */
const SHORT_TEXT = 330;

/**
 * Characters that a JSON value takes; numbers and the like count as 24. That of an object or array is found out once:
 * do not change it afterwards.
 */
export function jsonLength(value: unknown): number {
  if (typeof value === 'string') return value.length <= SHORT_TEXT ? value.length + 2 : JSON.stringify(value).length;
  if (typeof value !== 'object' || value === null) return PLAIN_LENGTH;
  let length = LENGTHS.get(value);
  if (length === undefined) LENGTHS.set(value, (length = JSON.stringify(value).length));
  return length;
}
