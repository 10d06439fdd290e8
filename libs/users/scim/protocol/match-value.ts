import type { Json, JsonObject } from '#core';
import type { Attribute } from './attribute.js';
import { foldText } from './fold-text.js';
import type { Comparison, Filter, Operand } from './filter.js';

/** Whether one value of a list matches a filter on its sub-attributes. */
export function matchesValue(filter: Filter, value: JsonObject): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.parts.every(part => matchesValue(part, value));
    case 'or':
      return filter.parts.some(part => matchesValue(part, value));
    case 'not':
      return !matchesValue(filter.part, value);
    case 'present':
      return value[filter.ref.attribute.name] !== undefined;
    case 'compare':
      return compares(filter.ref.attribute, value[filter.ref.attribute.name], filter.how, filter.operand);
    case 'some':
      // A filter on the values of a list cannot match here, because sub-attributes are never lists.
      return false;
  }
}

function compares(attribute: Attribute, value: Json | undefined, how: Comparison, operand: Operand): boolean {
  // A missing boolean counts as false.
  if (typeof operand === 'boolean') return ((value ?? false) === operand) === (how === 'eq');
  if (operand === null || typeof value !== 'string')
    return (operand === (value ?? null)) === (how === 'eq') && isEquality(how);
  const fold = (text: string): string => (attribute.caseExact ? text : foldText(text));
  return TESTS[how](fold(value), fold(operand));
}

function isEquality(how: Comparison): boolean {
  return how === 'eq' || how === 'ne';
}

const TESTS: Record<Comparison, (value: string, operand: string) => boolean> = {
  eq: (value, operand) => value === operand,
  ne: (value, operand) => value !== operand,
  co: (value, operand) => value.includes(operand),
  sw: (value, operand) => value.startsWith(operand),
  ew: (value, operand) => value.endsWith(operand),
  gt: (value, operand) => value > operand,
  ge: (value, operand) => value >= operand,
  lt: (value, operand) => value < operand,
  le: (value, operand) => value <= operand,
};
