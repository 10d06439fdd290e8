import { textArray } from '../pg-array.js';

/**
 * SQL text with parameters between its pieces. Only {@link sql} creates instances, so values cannot become part of the
 * text.
 */
class Sql {
  constructor(
    readonly texts: readonly string[],
    readonly values: readonly unknown[],
  ) {}

  /** The text with `$n` placeholders. It depends on the pieces only, not on the values. */
  get statement(): Statement {
    return { sql: this.texts.reduce((text, piece, at) => `${text}$${at}${piece}`), parameters: [...this.values] };
  }
}

export type { Sql };

/** A statement and its parameters. */
export interface Statement {
  sql: string;
  parameters: unknown[];
}

/**
 * A piece of SQL, as in sql`u.status = ${status}`. Every inserted value becomes a parameter. Only other pieces of SQL
 * are inserted as text.
 */
export function sql(literals: TemplateStringsArray, ...inserts: readonly unknown[]): Sql {
  const texts = [literals[0] ?? ''];
  const values: unknown[] = [];
  const append = (text: string): void => void texts.push(`${texts.pop() ?? ''}${text}`);
  for (const [at, insert] of inserts.entries()) {
    const {
      texts: [first = '', ...others],
      values: inserted,
    } = insert instanceof Sql ? insert : new Sql(['', ''], [insert]);
    append(first);
    texts.push(...others);
    values.push(...inserted);
    append(literals[at + 1] ?? '');
  }
  return new Sql(texts, values);
}

/** SQL from the code itself, such as column names. Never pass user input. */
export function plainSql(text: string): Sql {
  return new Sql([text], []);
}

/** Concatenates pieces of SQL. */
export function joinSql(pieces: readonly Sql[], separator: string): Sql {
  const [first = plainSql(''), ...others] = pieces;
  return others.reduce((all, piece) => sql`${all}${plainSql(separator)}${piece}`, first);
}

/** All defined conditions, combined with `and`. */
export function allOf(conditions: readonly (Sql | undefined)[]): Sql {
  return joinSql(
    conditions.filter(condition => condition !== undefined),
    ' and ',
  );
}

/** Equality conditions for all columns that have a value. */
export function equal(columns: Readonly<Record<string, string | undefined>>): Sql[] {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return given.map(([column, value]) => sql`${plainSql(column)} = ${value}`);
}

/** One condition per column: its value is one of the given values. Undefined columns are skipped. */
export function among(columns: Readonly<Record<string, readonly string[] | undefined>>): Sql[] {
  return Object.entries(columns).flatMap(([column, values]) => {
    if (values === undefined) return [];
    const [only, ...others] = values;
    // A single value uses equality, so that an index in list order can be used.
    if (others.length === 0) return only === undefined ? [] : equal({ [column]: only });
    return [sql`${plainSql(column)} = any(${textArray(values, value => value)}::text[])`];
  });
}
