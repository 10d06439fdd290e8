import type { TestDatabase } from '../../support/test-postgres.js';

/** A constraint on the rows of a table: a key, a unique index, a foreign key or an exclusion. */
export interface TableRule {
  table: string;
  name: string;
  kind: 'primary key' | 'unique' | 'foreign key' | 'exclusion';
  columns: string[];
  /** The referenced table and columns of a foreign key. */
  references: { table: string; columns: string[] } | null;
}

const TABLES = `
select c.relname as name,
       coalesce((select a.attname from pg_attribute a
         where a.attrelid = c.oid and a.attname = case c.relname when 'organizations' then 'id' else 'org_id' end
           and a.atttypid = 'uuid'::regtype and a.attnotnull and not a.attisdropped), '') as organization
from pg_class c
where c.relnamespace = 'governance'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
order by c.relname`;

const NAMES = (oid: string, numbers: string): string =>
  `array(select a.attname::text from unnest(${numbers}) with ordinality n (attnum, place)
     join pg_attribute a on a.attrelid = ${oid} and a.attnum = n.attnum order by n.place)`;

const RULES = `
select t.relname as table, i.relname as name,
       case when x.indisprimary then 'primary key' when x.indisexclusion then 'exclusion' else 'unique' end as kind,
       ${NAMES('t.oid', 'x.indkey::int2[]')} as columns, null as "references"
from pg_index x join pg_class t on t.oid = x.indrelid join pg_class i on i.oid = x.indexrelid
where t.relnamespace = 'governance'::regnamespace and not t.relispartition and (x.indisunique or x.indisexclusion)
union all
select t.relname, c.conname, 'foreign key', ${NAMES('t.oid', 'c.conkey')},
       json_build_object('table', r.relname, 'columns', ${NAMES('r.oid', 'c.confkey')})
from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_class r on r.oid = c.confrelid
where t.relnamespace = 'governance'::regnamespace and not t.relispartition and c.contype = 'f' and c.conparentid = 0
order by 1, 2`;

/** Every table of the schema with the name of its organization column; '' if it has none or one that may be null. */
export async function readTables(database: TestDatabase): Promise<Map<string, string>> {
  const rows = await database.asOwner<{ name: string; organization: string }>(TABLES);
  return new Map(rows.map(({ name, organization }) => [name, organization]));
}

/** Every key, unique index, exclusion and foreign key of the schema's tables. */
export async function readRules(database: TestDatabase): Promise<TableRule[]> {
  return database.asOwner<TableRule & Record<string, unknown>>(RULES);
}

/**
 * The constraints that could apply to rows of two organizations at once, each as `table.name`. A foreign key must
 * include the organization on both sides, and must not reference a table without an organization.
 */
export function acrossOrganizations(tables: ReadonlyMap<string, string>, rules: readonly TableRule[]): string[] {
  return rules
    .filter(({ table, columns, references }) => {
      const own = tables.get(table) ?? '';
      if (own === '') return false;
      if (references === null) return !columns.includes(own);
      const theirs = tables.get(references.table) ?? '';
      return theirs === '' || !columns.some((column, n) => column === own && references.columns[n] === theirs);
    })
    .map(({ table, name }) => `${table}.${name}`);
}
