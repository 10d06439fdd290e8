/** Maximum nesting depth of arrays and objects in a body. */
export const JSON_MAX_DEPTH = 32;

/** Maximum number of keys of one object in a body. Each key costs processor time, and no valid request needs more. */
export const JSON_MAX_KEYS = 1_000;

/** Defects of a JSON text beyond its syntax. */
export type JsonDefect =
  | { kind: 'too_deep' }
  | { kind: 'too_many_keys' }
  | { kind: 'duplicate_key'; key: string }
  | { kind: 'forbidden_key'; key: string };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const FORBIDDEN_KEYS = new Set(['__proto__']);

/**
 * Finds defects that `JSON.parse` accepts: a duplicate key (`JSON.parse` would silently use the last), the key
 * `__proto__`, an object with more than 1,000 keys, and nesting deeper than 32 levels. Stops at the first defect. Runs
 * in one pass, without recursion. Call it only after `JSON.parse` has succeeded.
 */
export function inspectJson(text: string, maxDepth = JSON_MAX_DEPTH): JsonDefect | undefined {
  const scopes: (Set<string> | null)[] = [];
  let keyExpected = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      const end = closingQuote(text, at);
      const keys = keyExpected ? scopes.at(-1) : undefined;
      if (keys) {
        const raw = text.slice(at + 1, end);
        const key = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
        if (FORBIDDEN_KEYS.has(key)) return { kind: 'forbidden_key', key };
        if (keys.has(key)) return { kind: 'duplicate_key', key };
        if (keys.size === JSON_MAX_KEYS) return { kind: 'too_many_keys' };
        keys.add(key);
      }
      keyExpected = false;
      at = end;
    } else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (scopes.length === maxDepth) return { kind: 'too_deep' };
      scopes.push(unit === OPEN_BRACE ? new Set() : null);
      keyExpected = unit === OPEN_BRACE;
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      scopes.pop();
      keyExpected = false;
    } else if (unit === COMMA) {
      keyExpected = scopes.at(-1) instanceof Set;
    }
  }
  return undefined;
}

/** Whether a value contains an object with more than 1,000 keys. For bodies that another parser has parsed. */
export function hasWideObject(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false;
  const parts: unknown[] = Object.values(value);
  return (!Array.isArray(value) && parts.length > JSON_MAX_KEYS) || parts.some(hasWideObject);
}

function closingQuote(text: string, openedAt: number): number {
  let end = openedAt;
  do end = text.indexOf('"', end + 1);
  while (end !== -1 && isEscaped(text, end));
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes++;
  return backslashes % 2 === 1;
}

/** JSON with sorted keys (by code unit) and without undefined values. Equal values result in equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
