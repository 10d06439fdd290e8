import pg from 'pg';
import type { Canaries } from './canaries.js';

const TABLES = `
select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
where relkind in ('r', 'm') and nspname not in ('pg_catalog', 'information_schema') and nspname not like 'pg_toast%'
order by 1`;

/**
 * Every occurrence in a database, as `schema.table.column: kind (encoding)`. Reads every row of every table as JSON, in
 * which bytes are hexadecimal.
 */
export async function sightingsInTables(url: string, canaries: Canaries): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const found = new Set<string>();
    const { rows: tables } = await client.query<{ name: string }>(TABLES);
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: Record<string, unknown> }>(`select to_jsonb(t) as row from ${name} t`);
      for (const [column, value] of rows.flatMap(({ row }) => Object.entries(row))) {
        for (const sighting of sightings(JSON.stringify(value), canaries)) found.add(`${name}.${column}: ${sighting}`);
      }
    }
    return [...found];
  } finally {
    await client.end();
  }
}

/** The number of tables with rows in a database. */
export async function filledTables(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(TABLES);
    const filled: string[] = [];
    for (const { name } of tables) {
      const { rowCount } = await client.query(`select from ${name} limit 1`);
      if (rowCount) filled.push(name);
    }
    return filled;
  } finally {
    await client.end();
  }
}

/** The occurrences in a text, as `kind (encoding)`. */
export function sightings(text: string, canaries: Canaries): string[] {
  return [...new Set(canaries.in(text).map(({ kind, spelling }) => `${kind} (${spelling})`))];
}
