import type { Json } from '#core';
import { FIELDS, READ_ONLY } from './process.js';

type Fields = Readonly<Record<string, Json>>;
type Test = (fields: Fields) => boolean;

/** The parts of a query that the answer needs. */
export interface Wiql {
  readonly columns: readonly string[];
  readonly test: Test;
  readonly isDescending: boolean;
}

/** Longest query in characters (https://learn.microsoft.com/azure/devops/boards/queries/wiql-syntax, "Limits on WIQL length"). */
const QUERY_MAX = 32_000;

const QUERY = /^\s*select\s+(.+?)\s+from\s+workitems(?:\s+where\s+(.+?))?(?:\s+order\s+by\s+(.+?))?\s*$/is;
const CONDITION =
  /^\s*\[([^\]]+)\]\s*(=|<>|not\s+contains|contains\s+words|contains|in)\s*(\((?:[^()']|'(?:[^']|'')*')*\)|'(?:[^']|'')*'|@project|\d+)\s*(?:(and)\b|$)/i;

/**
 * Parses a subset of WIQL: flat queries with conditions joined by `AND`, and the operators `=`, `<>`, `IN`, `CONTAINS`
 * and `CONTAINS WORDS`. Quotation marks in texts are doubled
 * (https://learn.microsoft.com/azure/devops/boards/queries/wiql-syntax).
 *
 * @throws Error with a message of Azure DevOps
 */
export function readWiql(query: string, project: string | undefined): Wiql {
  if (query.length > QUERY_MAX) throw new Error('The query exceeds the maximum allowed length of 32000 characters.');
  const [, select = '', where = '', order = ''] = QUERY.exec(query) ?? [];
  if (select === '') throw new Error('TF51006: The query statement is missing a SELECT or FROM clause.');
  const columns = select.split(',').map(column => known(column.trim().replaceAll(/^\[|\]$/g, '')));
  const tests: Test[] = [];
  let rest = where;
  while (rest.trim() !== '') {
    const [all = '', field = '', operator = '', operand = '', and] = CONDITION.exec(rest) ?? [];
    if (all === '') throw new Error(`TF51004: Expecting comparison operator or value. The error is near «${rest}».`);
    tests.push(testOf(known(field), operator.toLowerCase().replaceAll(/\s+/g, ' '), valuesIn(operand, project)));
    rest = rest.slice(all.length);
    if (and !== undefined && rest.trim() === '') throw new Error('TF51003: Expecting a condition after AND.');
  }
  return { columns, test: fields => tests.every(test => test(fields)), isDescending: /\bdesc\b/i.test(order) };
}

function known(field: string): string {
  const isKnown = field in FIELDS || field in READ_ONLY;
  if (isKnown) return field;
  throw new Error(`TF51005: The query references a field that does not exist. The error is caused by «[${field}]».`);
}

function valuesIn(operand: string, project: string | undefined): string[] {
  if (operand.toLowerCase() === '@project') {
    if (project === undefined) throw new Error('TF51011: @project is used, and the address names no project.');
    return [project];
  }
  const list = operand.startsWith('(') ? operand.slice(1, -1) : operand;
  return Array.from(
    list.matchAll(/'((?:[^']|'')*)'|(\d+)/g),
    ([, text, number]) => number ?? (text ?? '').replaceAll("''", "'"),
  );
}

/** Comparisons ignore case. For tags, `CONTAINS` matches a whole tag. */
function testOf(field: string, operator: string, values: readonly string[]): Test {
  const wanted = values.map(value => value.toLowerCase());
  const valueOf = (fields: Fields): string => {
    const value = fields[field];
    return (typeof value === 'string' ? value : JSON.stringify(value ?? '')).toLowerCase();
  };
  const contains: Test = fields => {
    const value = valueOf(fields);
    if (field === 'System.Tags') return value.split(';').some(tag => wanted.includes(tag.trim()));
    return wanted.some(each => value.includes(each));
  };
  const words: Test = fields => {
    const present: readonly string[] = valueOf(fields).match(/[\p{L}\p{N}_-]+/gu) ?? [];
    return wanted.every(each => each.split(/\s+/).every(word => present.includes(word)));
  };
  if (operator === 'contains') return contains;
  if (operator === 'not contains') return fields => !contains(fields);
  if (operator === 'contains words') return words;
  if (operator === '<>') return fields => !wanted.includes(valueOf(fields));
  return fields => wanted.includes(valueOf(fields));
}
