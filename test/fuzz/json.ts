import fc from 'fast-check';

/** Names of fields that requests may have, and names that every object inherits. */
const WORDS = fc.constantFrom('constructor', '__proto__', 'toString', 'hasOwnProperty', 'id', 'value', 'type', '');

/** Any JSON value at all, small. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(fc.jsonValue({ maxDepth: 3 }), WORDS);

/** An object with some of the fields. Each value has its usual type or any type. */
export function fields(kinds: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const loose = Object.entries(kinds).map(([name, kind]) => [
    name,
    fc.oneof({ weight: 6, arbitrary: kind }, { weight: 1, arbitrary: anyJson }),
  ]);
  const known = fc.record(Object.fromEntries(loose), { requiredKeys: [] });
  const more = fc.option(fc.dictionary(fc.oneof(WORDS, fc.string()), anyJson, { maxKeys: 2 }), { freq: 6 });
  return fc.tuple(known, more).map(([own, others]) => Object.assign({}, own, others));
}

/** A text of a few random characters, or one of the words. */
export const text: fc.Arbitrary<string> = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), WORDS);

/** Parts concatenated in random order and number. */
export function sentence(...parts: readonly string[]): fc.Arbitrary<string> {
  return fc.array(fc.oneof(fc.constantFrom(...parts), text), { maxLength: 14 }).map(words => words.join(''));
}

/**
 * The result of parsing must be JSON. A function or a symbol in the result comes from a prototype.
 * @throws Error
 */
export function mustBeJson(value: unknown, depth = 0): void {
  if (value === undefined || value === null || depth > 40) return;
  if (typeof value === 'function' || typeof value === 'symbol')
    throw new Error(`${typeof value} where a value belongs`);
  if (typeof value === 'object') for (const part of Object.values(value)) mustBeJson(part, depth + 1);
}
