import { isStorableText } from '#core';
import type { AttributeRef } from './resource-schema.js';

/** Comparison operators of RFC 7644, section 3.4.2.2. */
export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le';

/** The value with which a filter compares an attribute; null stands for no value. */
export type Operand = string | boolean | null;

/** A parsed filter. Its attributes exist in the schema, and each operand has the type of its attribute. */
export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | { readonly kind: 'present'; readonly ref: AttributeRef }
  | { readonly kind: 'compare'; readonly ref: AttributeRef; readonly how: Comparison; readonly operand: Operand }
  /** The inner filter must match one single value of the list. Its attributes are sub-attributes of the list. */
  | { readonly kind: 'some'; readonly ref: AttributeRef; readonly filter: Filter };

const EVERYWHERE: readonly Comparison[] = ['eq', 'ne'];
const IN_ORDER: readonly Comparison[] = [...EVERYWHERE, 'gt', 'ge', 'lt', 'le'];
const IN_TEXTS: readonly Comparison[] = [...IN_ORDER, 'co', 'sw', 'ew'];

const COMPARISONS: Record<AttributeRef['attribute']['type'], readonly Comparison[]> = {
  string: IN_TEXTS,
  reference: IN_TEXTS,
  dateTime: IN_ORDER,
  boolean: EVERYWHERE,
  complex: [],
};

/** All comparison operators. */
export const COMPARISON_WORDS: ReadonlySet<string> = new Set(IN_TEXTS);

/**
 * Resolves a comparison for an attribute, or returns an error. Compares a multi-valued attribute by its `value`.
 * Accepts the string "True" for true, because some clients send it.
 */
export function comparisonOf(
  ref: AttributeRef,
  how: Comparison,
  given: string | number | boolean | null,
): { ref: AttributeRef; operand: Operand } | { defect: string } {
  const target = comparable(ref);
  if (!target) return { defect: 'has sub-attributes; compare one of them' };
  const { type } = target.sub ?? target.attribute;
  if (!COMPARISONS[type].includes(how)) return { defect: `cannot be compared with ${how}` };
  if (given === null) {
    return EVERYWHERE.includes(how) ? { ref: target, operand: null } : { defect: 'null has no order' };
  }
  if (type === 'boolean') {
    const flag = flagOf(given);
    return flag === undefined ? { defect: 'must be compared with true or false' } : { ref: target, operand: flag };
  }
  if (typeof given !== 'string') return { defect: 'must be compared with a text in double quotes' };
  if (!isStorableText(given)) return { defect: 'cannot be compared with NUL or half of a surrogate pair' };
  if (type === 'dateTime') {
    const instant = instantOf(given);
    return instant === undefined
      ? { defect: 'must be compared with a time such as "2026-11-20T13:00:00Z"' }
      : { ref: target, operand: instant };
  }
  return { ref: target, operand: given };
}

/** Returns the number of comparisons in a filter. */
export function comparisonsOf(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.reduce((sum, part) => sum + comparisonsOf(part), 0);
    case 'not':
      return comparisonsOf(filter.part);
    case 'some':
      return comparisonsOf(filter.filter);
    case 'present':
    case 'compare':
      return 1;
  }
}

/** The name `emails` alone means `emails.value`. */
function comparable(ref: AttributeRef): AttributeRef | undefined {
  if (ref.sub || ref.attribute.type !== 'complex') return ref;
  if (!ref.attribute.multiValued) return undefined;
  const sub = ref.attribute.subAttributes?.find(({ name }) => name === 'value');
  return sub && { ...ref, sub };
}

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** Parses a boolean, which may be a string. */
export function flagOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? FLAGS.get(value.toLowerCase()) : undefined;
}

const DATE_TIME =
  /^(\d{4}-\d{2}-\d{2})T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/;
/** Range of instants that JavaScript and PostgreSQL both format with four-digit years: the years 1 to 9999. */
const [FIRST_MS, END_MS] = [-62_135_596_800_000, 253_402_300_800_000];

/**
 * Parses a `dateTime` (RFC 7643, section 2.3.5) as an instant in UTC; undefined if it is invalid or outside the years 1
 * to 9999. A text without a time zone is in UTC.
 */
function instantOf(text: string): string | undefined {
  const [, day = '', zone] = DATE_TIME.exec(text) ?? [];
  if (!isDay(day)) return undefined;
  const at = Date.parse(zone === undefined ? `${text}Z` : text);
  return at >= FIRST_MS && at < END_MS ? new Date(at).toISOString() : undefined;
}

/** JavaScript parses 30 February as 2 March. */
function isDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}
