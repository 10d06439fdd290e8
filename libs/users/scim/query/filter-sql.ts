import { isUuid } from '#core';
import type { Attribute } from '../protocol/attribute.js';
import { foldText } from '../protocol/fold-text.js';
import type { Comparison, Filter, Operand } from '../protocol/filter.js';
import { pathOf, type AttributeRef } from '../protocol/resource-schema.js';
import { ScimError } from '../protocol/scim-error.js';

/** SQL expression of an attribute. */
export interface SqlColumn {
  readonly sql: string;
  /**
   * How the expression normalizes texts. `folded`: like {@link foldText}. `lowered`: like {@link lowered}, by the
   * database's locale. `exact`: not at all.
   */
  readonly as: 'folded' | 'lowered' | 'exact' | 'flag' | 'time' | 'uuid';
  /**
   * A necessary condition for equality, for which an index exists. The parameter is normalized like {@link foldText}.
   */
  readonly narrowedBy?: (parameter: string, operand: string) => string;
}

/** SQL of a multi-valued attribute. */
export interface SqlList {
  /** The rows with the values: the part `from … where …` of a subquery, without its `select`. */
  readonly from: string;
  readonly column: (part: Attribute) => SqlColumn | undefined;
  /**
   * A necessary condition on the resource for equality of a `value`, for which an index exists. The parameter is
   * normalized like {@link foldText}.
   */
  readonly narrowedBy?: (parameter: string, operand: string) => string;
}

/** SQL of all attributes of a resource type; undefined for attributes that cannot be searched. */
export interface SqlAttributes {
  readonly column: (ref: AttributeRef) => SqlColumn | undefined;
  readonly list: (attribute: Attribute) => SqlList | undefined;
}

/**
 * Converts a filter to an SQL condition. Operands are appended to `parameters`. The text itself contains nothing from
 * the caller.
 * @throws ScimError invalidFilter for an attribute that cannot be searched.
 */
export function conditionOf(filter: Filter, attributes: SqlAttributes, parameters: unknown[]): string {
  return new ConditionWriter(attributes, parameters).write(filter, attributes.column, false);
}

/**
 * SQL for lower case and Unicode normalization form C. Names a collation explicitly: in a column that compares by code
 * point, `lower()` would convert only ASCII letters.
 */
export function lowered(sql: string): string {
  return `lower(normalize(${sql}, nfc) collate "default")`;
}

/** The attribute `schemas` of a resource, from an SQL array of URNs. URNs compare case-insensitively. */
export function schemasAre(array: string): SqlList {
  return { from: `from unnest(${array}) v where true`, column: () => ({ sql: lowered('v'), as: 'lowered' }) };
}

type ColumnOf = (ref: AttributeRef) => SqlColumn | undefined;

class ConditionWriter {
  constructor(
    private readonly attributes: SqlAttributes,
    private readonly parameters: unknown[],
  ) {}

  /** `negated` is true within a `not`, where an SQL null must be replaced by false. */
  write(filter: Filter, columnOf: ColumnOf, negated: boolean): string {
    if ('ref' in filter && filter.ref.absent) return String(isMetByNothing(filter));
    switch (filter.kind) {
      case 'and':
      case 'or':
        return `(${filter.parts.map(part => this.write(part, columnOf, negated)).join(` ${filter.kind} `)})`;
      case 'not':
        return `not (${this.write(filter.part, columnOf, true)})`;
      case 'present':
        return this.present(filter.ref, columnOf);
      case 'some':
        return this.someNarrowed(this.listOf(filter.ref), filter.filter, negated);
      case 'compare':
        return this.compare(filter.ref, filter.how, filter.operand, columnOf, negated);
    }
  }

  private present(ref: AttributeRef, columnOf: ColumnOf): string {
    const list = ref.attribute.multiValued ? this.attributes.list(ref.attribute) : undefined;
    if (!list) return `${this.columnAt(ref, columnOf).sql} is not null`;
    const { sub } = ref;
    return this.some(list, column => (sub ? `${this.columnAt({ attribute: sub }, column).sql} is not null` : 'true'));
  }

  private compare(ref: AttributeRef, how: Comparison, operand: Operand, columnOf: ColumnOf, negated: boolean): string {
    const { attribute, sub } = ref;
    // The values of a simple list have no sub-attributes, so the values themselves are compared.
    const part = sub ?? { ...attribute, multiValued: false };
    if (!attribute.multiValued) return this.test(this.columnAt(ref, columnOf), how, operand, negated);
    const list = this.listOf(ref);
    const some = this.someNarrowed(list, { kind: 'compare', ref: { attribute: part }, how, operand }, negated);
    return isMetByNothing({ kind: 'compare', ref, how, operand })
      ? `(not ${this.some(list, () => 'true')} or ${some})`
      : some;
  }

  /** Conditions for an index are placed outside the subquery, where PostgreSQL can use the index. */
  private someNarrowed(list: SqlList, filter: Filter, negated: boolean): string {
    const some = this.some(list, column => this.write(filter, column, negated));
    const narrowing = this.narrowing(list, filter);
    return narrowing.length === 0 ? some : `(${[...narrowing, some].join(' and ')})`;
  }

  private narrowing(list: SqlList, filter: Filter): string[] {
    if (filter.kind === 'and') return filter.parts.flatMap(part => this.narrowing(list, part));
    if (!list.narrowedBy || filter.kind !== 'compare' || filter.how !== 'eq') return [];
    if (typeof filter.operand !== 'string' || filter.ref.attribute.name !== 'value') return [];
    return [list.narrowedBy(`${this.parameter(foldText(filter.operand))}::text`, filter.operand)];
  }

  private some(list: SqlList, condition: (columnOf: ColumnOf) => string): string {
    return `exists (select 1 ${list.from} and ${condition(({ attribute }) => list.column(attribute))})`;
  }

  private test(column: SqlColumn, how: Comparison, operand: Operand, negated: boolean): string {
    if (operand === null) return `${column.sql} is ${how === 'eq' ? '' : 'not '}null`;
    // A boolean column is never null: a missing boolean is stored as false.
    if (typeof operand === 'boolean') {
      return `${column.sql} ${how === 'eq' ? '=' : '<>'} ${this.parameter(operand)}::boolean`;
    }
    const written = this.testText(column, how, operand);
    return negated ? `coalesce(${written}, false)` : written;
  }

  private testText(column: SqlColumn, how: Comparison, operand: string): string {
    if (column.as === 'uuid') return this.testUuid(column, how, operand);
    const isTime = column.as === 'time';
    const value = column.as === 'folded' ? foldText(operand) : operand;
    const given = `${this.parameter(value)}::${isTime ? 'timestamptz' : 'text'}`;
    const parameter = column.as === 'lowered' ? `${lowered(given)} collate "C"` : given;
    const written = TESTS[how](isTime ? column.sql : `(${column.sql}) collate "C"`, parameter);
    if (how !== 'eq' || !column.narrowedBy) return written;
    return `(${written} and ${column.narrowedBy(`${this.parameter(foldText(operand))}::text`, operand)})`;
  }

  private testUuid(column: SqlColumn, how: Comparison, operand: string): string {
    if (how !== 'eq')
      return TESTS[how](`${column.sql}::text collate "C"`, `${this.parameter(operand.toLowerCase())}::text`);
    return isUuid(operand) ? `${column.sql} = ${this.parameter(operand)}::uuid` : 'false';
  }

  private columnAt(ref: AttributeRef, columnOf: ColumnOf): SqlColumn {
    const column = columnOf(ref);
    if (!column) throw new ScimError('invalidFilter', `The filter names ${pathOf(ref)}, which cannot be searched.`);
    return column;
  }

  private listOf(ref: AttributeRef): SqlList {
    const list = this.attributes.list(ref.attribute);
    if (!list) throw new ScimError('invalidFilter', `The filter names ${pathOf(ref)}, which cannot be searched.`);
    return list;
  }

  private parameter(value: unknown): string {
    return `$${this.parameters.push(value)}`;
  }
}

/** Whether a filter matches a missing attribute: true for `ne` with a value, and for `eq null`. */
function isMetByNothing(filter: Filter): boolean {
  if (filter.kind !== 'compare') return false;
  return filter.operand === null ? filter.how === 'eq' : filter.how === 'ne';
}

const TESTS: Record<Comparison, (column: string, parameter: string) => string> = {
  eq: (column, parameter) => `${column} = ${parameter}`,
  ne: (column, parameter) => `${column} is distinct from ${parameter}`,
  gt: (column, parameter) => `${column} > ${parameter}`,
  ge: (column, parameter) => `${column} >= ${parameter}`,
  lt: (column, parameter) => `${column} < ${parameter}`,
  le: (column, parameter) => `${column} <= ${parameter}`,
  co: (column, parameter) => `strpos(${column}, ${parameter}) > 0`,
  sw: (column, parameter) => `starts_with(${column}, ${parameter})`,
  ew: (column, parameter) => `right(${column}, char_length(${parameter})) = ${parameter}`,
};
