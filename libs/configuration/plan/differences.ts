import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '#core';

/** One field that differs. */
export interface FieldChange {
  /** Path of the field, such as `conditions.department`. */
  readonly field: string;
  /** The old value; null if there was none. */
  readonly from: Json;
  /** The new value; null if there is none. */
  readonly to: Json;
}

/**
 * The fields that differ, in the order of `after`. Objects are compared field by field. Lists are compared as a whole.
 */
export function differences(before: JsonObject, after: JsonObject, path = ''): FieldChange[] {
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  return names.flatMap(name => {
    const [from = null, to = null] = [before[name], after[name]];
    if (isDeepStrictEqual(from, to)) return [];
    const field = path + name;
    return isObject(from) && isObject(to) ? differences(from, to, `${field}.`) : [{ field, from, to }];
  });
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
