import { SCHEMA } from './database.options.js';

/** What an erasure does with the rows about a person. */
export type Erasure =
  /** Deletes them. */
  | 'delete'
  /** Sets columns, to SQL expressions of the row `t` and the person `p`. Must give the same values when repeated. */
  | { readonly set: Readonly<Record<string, string>> }
  /** Keeps them: nothing in them but the id of the user says who it was. Says why they are needed. */
  | { readonly keep: string }
  /** Code of its own changes them. Names the class. */
  | { readonly by: string };

/** A table with rows about people: how the rows about one of them are found, and what an erasure does with them. */
export interface PersonalTable {
  /** Name in the schema. */
  readonly table: string;
  /** SQL text that identifies a row `t` within its organization. */
  readonly key: string;
  /**
   * SQL condition on a row `t` that is about the person `p`, with the columns `user_id` (uuid), `emails` (text[], in lower
   * case, present and former), `mention` (a regular expression of the id, the addresses and what acts for the person) and
   * `parts` (the same as patterns of `LIKE`).
   */
  readonly where: string;
  readonly erase: Erasure;
  /** Topic of the change feed that is marked if an erasure changed rows: replicas keep texts of them in memory. */
  readonly topic?: string;
  /**
   * SQL text[] of a row: names under which the person goes, such as the account in a chat. An erasure removes them from
   * texts in rows about the person. Null and short texts are left out.
   */
  readonly names?: string;
  /** SQL text[] of a row: ids under which records name the person as the author of a change. */
  readonly acts?: string;
  /** SQL text[] of a row: e-mail addresses that are or were the person's. */
  readonly addresses?: string;
  /** Whether the rows are erased only together with the user. */
  readonly isLast?: boolean;
  /** Columns that are never shown: secrets, and binary data. */
  readonly omit?: readonly string[];
  /** SQL expression of what is shown of a row, a JSON object. Default: its columns. */
  readonly show?: string;
}

/** What stands in texts for what an erasure removed. */
export const ERASED = '[erased]';

/**
 * A condition that a value mentions the person by id or address, in any text within it. The regular expression takes 15 µs
 * for a value of 70 characters, so it is only asked where a part of the text looks like it, which takes 1 µs.
 */
export function mentions(value: string): string {
  return `(case when lower(${value}::text) like any (p.parts) then ${value}::text ~* p.mention else false end)`;
}

/** A text without the names and addresses of the person `p`. */
export function scrubbed(value: string): string {
  return `regexp_replace(${value}, p.names, '${ERASED}', 'gi')`;
}

/** Who made a change, without the name if it was the person `p`; other people keep theirs. */
export function scrubbedStamp(value: string): string {
  return `case when ${value} ->> 'id' ~* p.mention
    then ${scrubbedJson(value)} || '{"name":"${ERASED}"}' else ${scrubbedJson(value)} end`;
}

/** A list of texts without the names and addresses of the person `p`. */
export function scrubbedList(value: string): string {
  return `(select array_agg(${scrubbed('e.x')} order by e.n) from unnest(${value}) with ordinality as e (x, n))`;
}

/** JSON without the names and addresses of the person `p`, in any text within it. */
export function scrubbedJson(value: string): string {
  return `${SCHEMA}.scrubbed_json(${value}, p.names)`;
}

/** The function behind {@link scrubbedJson}. */
export const SCRUBBED_JSON: readonly [signature: string, definition: string] = [
  'scrubbed_json(value jsonb, names text)',
  `returns jsonb language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp
   as $$
   begin
     case jsonb_typeof(value)
       when 'string' then return to_jsonb(regexp_replace(value #>> '{}', names, '${ERASED}', 'gi'));
       when 'array' then return (
         select coalesce(jsonb_agg(${SCHEMA}.scrubbed_json(e.x, names) order by e.n), '[]')
         from jsonb_array_elements(value) with ordinality as e (x, n));
       when 'object' then return (
         -- A name may be the name of a field, an address is not.
         select coalesce(jsonb_object_agg(
           case when e.k like '%@%' then regexp_replace(e.k, names, '${ERASED}', 'gi') else e.k end,
           ${SCHEMA}.scrubbed_json(e.v, names)), '{}') from jsonb_each(value) as e (k, v));
       else return value;
     end case;
   end
   $$`,
];

/** A person, as the statements about personal tables take it. */
export interface Person {
  readonly orgId: string;
  readonly userId: string;
  /** Present and former addresses. */
  readonly emails: readonly string[];
  /** Ids under which the person acts, besides the own one. Default: none. */
  readonly acts?: readonly string[];
  /** Further texts that an erasure removes: names, accounts. Default: none. */
  readonly names?: readonly string[];
}

/** Shorter texts are too likely to be a part of something else. */
const SHORTEST = 3;

/** Parameters 1 to 6 of the statements below. */
export function personParameters({ orgId, userId, emails, acts = [], names = [] }: Person): readonly unknown[] {
  const known = [...new Set(emails.map(email => email.toLowerCase()))];
  const marks = [userId, ...known, ...acts];
  return [orgId, userId, known, patternOf(marks), patternOf([...known, ...names]), marks.map(partOf)];
}

/** A pattern of `LIKE` for texts in lower case that contain the text. */
function partOf(text: string): string {
  return `%${text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** A regular expression of PostgreSQL: any of the texts as a whole, not as a part of a longer word or address. */
function patternOf(texts: readonly string[]): string {
  const long = [...new Set(texts)].filter(text => text.length >= SHORTEST);
  // The longest first: a name may begin with a shorter one. Nothing matches an empty list.
  const any = long.toSorted((a, b) => b.length - a.length).map(escaped);
  if (any.length === 0) return '(?!)';
  // In JSON, a line break in front of an address is a backslash and a letter.
  return `((?<![[:alnum:]._%+-])|(?<=\\\\[nrtbf]))(?:${any.join('|')})(?![[:alnum:]_@-]|\\.[[:alnum:]])`;
}

/** The same for JavaScript, with the flag `g`. */
export function wholeWords(texts: readonly string[]): RegExp {
  const long = [...new Set(texts)].filter(text => text.length >= SHORTEST);
  const any = long.toSorted((a, b) => b.length - a.length).map(text => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  return new RegExp(
    any.length === 0 ? '(?!)' : `(?<![\\p{L}\\p{N}._%+-])(?:${any.join('|')})(?![\\p{L}\\p{N}_@-]|\\.[\\p{L}\\p{N}])`,
    'giu',
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}\s@_-]/gu, '\\$&');
}

/** The columns of a person `p`, from {@link personParameters}. */
export const PERSON_COLUMNS = `$1::uuid as org_id, $2::uuid as user_id, $3::text[] as emails, $4::text as mention,
  $5::text as names, $6::text[] as parts`;

const PERSON = `p as (select ${PERSON_COLUMNS})`;

/** Rows of one statement. */
export const PERSONAL_CHUNK = 500;

/**
 * The statement that reads rows about a person in the order of their keys. Parameters: those of the person, and the key
 * after which to go on.
 */
export function personalRows({ table, key, where, omit = [], show }: PersonalTable): string {
  const shown = ['org_id', ...omit].map(column => ` - '${column}'`).join('');
  return `
with ${PERSON}
select (${key})::text as key, (${show ?? `to_jsonb(t)${shown}`})::text as row from p join ${SCHEMA}.${table} t on t.org_id = p.org_id
where (${where}) and ($7::text is null or (${key})::text collate "C" > $7::text)
order by (${key})::text collate "C" limit ${PERSONAL_CHUNK}`;
}

/** The statement that finds texts of rows about a person, in {@link PersonalTable.names}, `addresses` or `acts`. */
export function personalTexts({ table, where }: PersonalTable, texts: string): string {
  return `
with ${PERSON}
select distinct trim(e.x) as text from p join ${SCHEMA}.${table} t on t.org_id = p.org_id, unnest(${texts}) e (x)
where (${where}) and e.x is not null and $5::text is not null`;
}

/** The statement that erases a person from a table and returns the number of changed rows; undefined if rows are kept. */
export function personalErasure({ table, where, erase }: PersonalTable): string | undefined {
  const change = changeOf(erase, table, where);
  return change && `with ${PERSON}, changed as (${change} returning 1) select count(*)::int as changed from changed`;
}

function changeOf(erase: Erasure, table: string, where: string): string | undefined {
  if (erase === 'delete') return `delete from ${SCHEMA}.${table} t using p where t.org_id = p.org_id and (${where})`;
  if (!('set' in erase)) return undefined;
  const columns = Object.entries(erase.set);
  const assigned = columns.map(([column, value]) => `${column} = ${value}`).join(', ');
  const [before, after] = [columns.map(([column]) => `t.${column}`), columns.map(([, value]) => value)];
  return `update ${SCHEMA}.${table} t set ${assigned} from p where t.org_id = p.org_id and (${where})
    and row(${before.join(', ')}) is distinct from row(${after.join(', ')})`;
}
