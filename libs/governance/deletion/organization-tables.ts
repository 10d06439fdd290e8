import { SCHEMA, type StatementClient } from '#database';
import { EXPORTED_TABLES, SHARED_TABLES } from './exported-tables.js';

/** A table with rows of organizations. */
export interface OrganizationTable {
  readonly name: string;
  /** Names of the tables from which rows are deleted: the table itself, or its partitions. */
  readonly places: readonly string[];
  /** The column that contains the organization's id. */
  readonly column: string;
}

const TABLES = `
select c.relname::text as name, c.relkind = 'p' as "isPartitioned",
  (select coalesce(array_agg(format('%s', t.relid::regclass) order by t.relid::regclass::text), '{}')
     from pg_partition_tree(c.oid) t where t.isleaf and t.relid <> c.oid) as partitions
from pg_class c
where c.relnamespace = '${SCHEMA}'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;

const REFERENCES = `
select distinct child.relname::text as child, parent.relname::text as parent from pg_constraint f
join pg_class child on child.oid = f.conrelid join pg_class parent on parent.oid = f.confrelid
where f.contype = 'f' and f.connamespace = '${SCHEMA}'::regnamespace and child.oid <> parent.oid
  and not child.relispartition and not parent.relispartition`;

interface Row {
  name: string;
  isPartitioned: boolean;
  partitions: string[];
}

/**
 * Tables that are deleted last. Replicas drop an organization from memory when its change marks are gone. If rows still
 * existed then, replicas could read them again.
 */
const LAST: ReadonlySet<string> = new Set(['change_marks', 'organizations']);

/**
 * The tables with rows of organizations, in the order of deletion: each table comes before the tables to which its rows
 * refer. The change marks and the organizations are the last tables.
 * @throws Error naming tables that this version does not know
 */
export async function organizationTables(client: StatementClient): Promise<OrganizationTable[]> {
  const { rows } = await client.query<Row>(TABLES);
  const unknown = rows.filter(({ name }) => !EXPORTED_TABLES.has(name) && !SHARED_TABLES.has(name));
  if (unknown.length > 0) {
    const names = unknown.map(({ name }) => name).join(', ');
    throw new Error(`This version does not know the tables ${names}. Use the version that migrated the database.`);
  }
  const references = await client.query<{ child: string; parent: string }>(REFERENCES);
  const children = Map.groupBy(references.rows, ({ parent }) => parent);
  const known = new Map(rows.filter(({ name }) => EXPORTED_TABLES.has(name)).map(row => [row.name, row]));
  const ordered = new Map<string, OrganizationTable>();
  const visit = (row: Row): void => {
    if (ordered.has(row.name)) return;
    for (const { child } of children.get(row.name) ?? []) {
      const found = known.get(child);
      if (found) visit(found);
    }
    ordered.set(row.name, tableOf(row));
  };
  for (const row of known.values()) if (!LAST.has(row.name)) visit(row);
  for (const row of known.values()) visit(row);
  return [...ordered.values()];
}

function tableOf({ name, isPartitioned, partitions }: Row): OrganizationTable {
  const places = isPartitioned ? partitions : [`${SCHEMA}.${name}`];
  return { name, places, column: name === 'organizations' ? 'id' : 'org_id' };
}
