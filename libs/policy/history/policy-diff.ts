import { canonicalJson } from '#core';

/** One place at which two JSON values differ. */
export interface JsonDifference {
  /** Place in the content, as a JSON pointer (RFC 6901). */
  readonly path: string;
  /** Value before the change; undefined if the field did not exist. */
  readonly before?: unknown;
  /** Value after the change; undefined if the field no longer exists. */
  readonly after?: unknown;
}

/**
 * The differences between two JSON objects, key by key. Lists are compared as a whole: here they represent sets, so
 * positions have no meaning.
 */
export function differencesBetween(before: object, after: object, path = ''): JsonDifference[] {
  const was = new Map<string, unknown>(Object.entries(before));
  const is = new Map<string, unknown>(Object.entries(after));
  return [...new Set([...was.keys(), ...is.keys()])].flatMap(key => {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const [old, present] = [was.get(key), is.get(key)];
    if (isObject(old) && isObject(present)) return differencesBetween(old, present, place);
    if (was.has(key) && is.has(key) && canonicalJson(old) === canonicalJson(present)) return [];
    return [{ path: place, ...(was.has(key) && { before: old }), ...(is.has(key) && { after: present }) }];
  });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
