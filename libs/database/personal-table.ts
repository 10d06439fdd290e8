import { SCHEMA } from './database.options.js';

/** A table with rows about people, and how the rows about one of them are found. */
export interface PersonalTable {
  /** Name in the schema. */
  readonly table: string;
  /** SQL text that identifies a row `t` within its organization. */
  readonly key: string;
  /**
   * SQL condition on a row `t` that is about the person `p`, with the columns `user_id` (uuid) and `email` (text, in lower
   * case).
   */
  readonly where: string;
  /** Columns that are never shown: secrets, and binary data. */
  readonly omit?: readonly string[];
  /** SQL expression of what is shown of a row, a JSON object. Default: its columns. */
  readonly show?: string;
}

/** A condition that a value mentions the person by id or address, in any text within it. */
export function mentions(value: string): string {
  return `(position(p.user_id::text in ${value}::text) > 0 or position(p.email in lower(${value}::text)) > 0)`;
}

/** Rows of one statement. */
export const PERSONAL_CHUNK = 500;

/**
 * The statement that reads rows about a person in the order of their keys. Parameters: organization, user id, address,
 * and the key after which to go on.
 */
export function personalRows({ table, key, where, omit = [], show }: PersonalTable): string {
  const shown = ['org_id', ...omit].map(column => ` - '${column}'`).join('');
  return `
with p as (select $1::uuid as org_id, $2::uuid as user_id, lower($3::text) as email, $4::text as after)
select (${key})::text as key, (${show ?? `to_jsonb(t)${shown}`})::text as row from p join ${SCHEMA}.${table} t on t.org_id = p.org_id
where (${where}) and (p.after is null or (${key})::text collate "C" > p.after)
order by (${key})::text collate "C" limit ${PERSONAL_CHUNK}`;
}
