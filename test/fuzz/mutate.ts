import type { Chance } from '../faults/processes/chance.js';

/**
 * Parts that often break parsers: names that every object inherits, limits of ranges, truncated parts and delimiters of
 * formats.
 */
const PARTS = [
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'null', 'true', 'undefined', 'NaN'],
  ...[
    '"',
    '""',
    '\\',
    '\\u0000',
    '\0',
    '\u0001',
    '\u007f',
    '\r',
    '\n',
    '\r\n',
    '\t',
    ' ',
    ',',
    ';',
    ':',
    '.',
    '-',
    '+',
  ],
  ...[
    '\ud800',
    '\udfff',
    '\u2028',
    '\ufeff',
    '\u200b',
    '\u202e',
    'é',
    'e\u0301',
    'ß',
    'İ',
    '😀',
    '\uffff',
    '%00',
    '%ff',
  ],
  ...['{', '}', '[', ']', '(', ')', '{}', '[]', '[[', '*', '**', '&', '=', '==', '/', '../', '@', '#', '<', '`', '$'],
  ...['0', '-0', '-1', '1e400', '9007199254740993', '99999999999999999999', '0x1F', '1.5', '1e-7', '00', '٣'],
  ...['1970-01-01', '9999-12-31', '0000-00-00', '2024-02-30', 'T24:00:00Z', '23:59:60', '+23:59', '-00:00', 'Z'],
  ...['127.0.0.1', '::1', '::ffff:127.0.0.1', '/33', '0.0.0.0/0', 'https://', 'javascript:', 'user:pw@'],
  ...['-----BEGIN CERTIFICATE REQUEST-----', '-----END CERTIFICATE REQUEST-----', 'urn:ietf:params:scim:'],
];

/** Values of an unexpected type. */
const VALUES: readonly unknown[] = [
  ...[null, true, false, 0, -0, -1, 1.5, 1e308, 2 ** 53, '', ' ', '0', '\0', '\ud800', [], {}, [[]], [{}], [null]],
  ...PARTS,
  { constructor: { prototype: {} } },
  { toString: 1, valueOf: null, toJSON: 1 },
  'x'.repeat(5_000),
  Array.from({ length: 300 }, () => 'x'),
];

/** A text with one to four changes. Sometimes the rest of the text is taken from another seed. */
export function mutateText(chance: Chance, seeds: readonly string[]): string {
  let text = pick(chance, seeds);
  for (let changes = 1 + chance.below(4); changes > 0; changes--) text = changeText(chance, text, seeds);
  return text;
}

function changeText(chance: Chance, text: string, seeds: readonly string[]): string {
  const [a, b] = [chance.below(text.length + 1), chance.below(text.length + 1)].sort((one, other) => one - other);
  const [from = 0, to = 0] = [a, b];
  switch (chance.below(8)) {
    case 0:
      return text.slice(0, from) + text.slice(to);
    case 1:
      return text.slice(0, from);
    case 2:
      return text.slice(0, to) + text.slice(from);
    case 3:
      return (
        text.slice(0, from) +
        text
          .slice(from, to)
          .repeat(1 + chance.below(20))
          .slice(0, 20_000) +
        text.slice(to)
      );
    case 4:
      return text.slice(0, from) + String.fromCharCode(chance.below(256)) + text.slice(from + 1);
    case 5: {
      const other = pick(chance, seeds);
      return text.slice(0, from) + other.slice(chance.below(other.length + 1));
    }
    default:
      return text.slice(0, from) + pick(chance, PARTS) + text.slice(chance.below(2) === 0 ? from : to);
  }
}

/** A JSON value with one to three changes: another value, or a key removed, duplicated or renamed. */
export function mutateJson(chance: Chance, seeds: readonly unknown[]): unknown {
  let value: unknown = structuredClone(pick(chance, seeds));
  for (let changes = 1 + chance.below(3); changes > 0; changes--) value = changeJson(chance, value, seeds, 0);
  return value;
}

function changeJson(chance: Chance, value: unknown, seeds: readonly unknown[], depth: number): unknown {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (keys.length === 0 || depth > 6 || chance.below(6) === 0) return hostile(chance, value, seeds);
  if (Array.isArray(value)) return changeList(chance, value, seeds, depth);
  const key = pick(chance, keys);
  const entries = Object.entries(Object(value) as object).flatMap(([name, part]: [string, unknown]) => {
    if (name !== key) return [[name, part] as const];
    switch (chance.below(6)) {
      case 0:
        return [];
      case 1:
        return [[pick(chance, PARTS), part] as const];
      case 2:
        return [[name, part] as const, [pick(chance, PARTS), hostile(chance, part, seeds)] as const];
      case 3:
        return [[name.toUpperCase(), part] as const];
      default:
        return [[name, changeJson(chance, part, seeds, depth + 1)] as const];
    }
  });
  return Object.fromEntries(entries);
}

function changeList(chance: Chance, list: readonly unknown[], seeds: readonly unknown[], depth: number): unknown[] {
  const at = chance.below(list.length);
  const changed = list.map((part, place) => (place === at ? changeJson(chance, part, seeds, depth + 1) : part));
  if (chance.below(8) === 0) return [...changed, ...Array.from({ length: chance.below(120) }, () => changed[at])];
  return changed;
}

function hostile(chance: Chance, value: unknown, seeds: readonly unknown[]): unknown {
  if (typeof value === 'string' && chance.below(2) === 0) return mutateText(chance, [value]);
  if (typeof value === 'number' && chance.below(2) === 0) return value * pick(chance, [-1, 10, 1e6, 1e12, 0.5]);
  return chance.below(10) === 0 ? pick(chance, seeds) : pick(chance, VALUES);
}

function pick<T>(chance: Chance, list: readonly T[]): T {
  const found = list[chance.below(list.length)];
  // The cast is safe, because the list is not empty and the index is below its length.
  return found as T;
}
