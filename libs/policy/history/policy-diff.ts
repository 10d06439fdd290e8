import { canonicalJson } from '#core';

/** One place at which two JSON values differ. */
export interface JsonDifference {
  /** Where, as a JSON pointer (RFC 6901). */
  readonly path: string;
  /** Missing where there was nothing. */
  readonly before?: unknown;
  /** Missing where there is nothing any more. */
  readonly after?: unknown;
}

/**
 * Where two JSON objects differ, key by key. Lists are compared as a whole: they stand for sets here, and which entry
 * came to which place says less than the two lists.
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
