import { migrate, type NamedMigration } from '../../libs/database/index.js';
import type { TestDatabase } from '../support/test-postgres.js';

/**
 * All rows of a database, and the names of its migrations. Released migrations never change, so running the migrations
 * of a dump creates the same schema again. Neither dump nor restore needs a PostgreSQL program.
 */
export interface Dump {
  migrations: string[];
  /** Statements that create the partitions that the app has made. */
  partitions: string[];
  tables: Table[];
  sequences: { name: string; value: string }[];
}

interface Table {
  name: string;
  /** The columns, without generated ones. */
  columns: string[];
  count: number;
  /** JSON text of all rows in a fixed order. It stays text, because JavaScript would round large numbers. */
  rows: string;
}

const PARTITIONS = `
select format('create table if not exists governance.%I partition of governance.%I %s', c.relname, p.relname,
         pg_get_expr(c.relpartbound, c.oid)) as statement
from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
where c.relnamespace = 'governance'::regnamespace and c.relispartition and c.relkind in ('r', 'p') order by c.relname`;

const TABLES = `
select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'governance'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  and c.relname <> 'schema_migrations' and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
group by c.relname order by c.relname`;

const SEQUENCES = `
select format('governance.%I', sequencename) as name, last_value::text as value from pg_sequences
where schemaname = 'governance' and last_value is not null order by sequencename`;

/** Reads all rows. Nothing may write to the database meanwhile. */
export async function dumpOf(database: TestDatabase): Promise<Dump> {
  const names = await database.asOwner<{ name: string }>('select name from governance.schema_migrations order by id');
  const partitions = await database.asOwner<{ statement: string }>(PARTITIONS);
  const tables: Table[] = [];
  for (const { name, columns } of await database.asOwner<{ name: string; columns: string[] }>(TABLES)) {
    const [all] = await database.asOwner<{ count: number; rows: string }>(
      `select count(*)::int as count, coalesce(json_agg(t order by t::text), '[]')::text as rows
       from governance.${name} t`,
    );
    tables.push({ name, columns, count: all?.count ?? 0, rows: all?.rows ?? '[]' });
  }
  return {
    migrations: names.map(({ name }) => name),
    partitions: partitions.map(({ statement }) => statement),
    tables,
    sequences: await database.asOwner<{ name: string; value: string }>(SEQUENCES),
  };
}

/** Creates the schema of the dump's version in an empty database, and inserts the rows of the dump. */
export async function restore(
  dump: Dump,
  database: TestDatabase,
  migrations: readonly NamedMigration[],
): Promise<void> {
  const known = new Set(dump.migrations);
  await migrate(
    { url: database.url },
    migrations.filter(({ name }) => known.has(name)),
  );
  for (const statement of dump.partitions) await database.asOwner(statement);
  // Removes the rows that migrations have inserted.
  const all = dump.tables.map(({ name }) => `governance.${name}`);
  if (all.length > 0) await database.asOwner(`truncate ${all.join(', ')}`);
  for (const { name, columns, rows } of dump.tables) {
    const list = columns.map(column => `"${column}"`).join(', ');
    // Turns off foreign keys and triggers, which this order of tables does not satisfy. The rows were consistent in the
    // dumped database.
    await database.asOwner(
      `with off as materialized (select set_config('session_replication_role', 'replica', true))
       insert into governance.${name} (${list}) overriding system value
       select ${list} from off, json_populate_recordset(null::governance.${name}, $1::json)`,
      [rows],
    );
  }
  for (const { name, value } of dump.sequences) await database.asOwner('select setval($1, $2)', [name, value]);
}
