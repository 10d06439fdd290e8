import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { newId } from '#core';
import { createMigratedDatabase } from '../support/migrated-database.js';
import type { TestDatabase } from '../support/test-postgres.js';
import { until } from '../support/webhooks.js';

/** The value for a required column: by its name if a check allows only some values, otherwise by its type. */
const VALUES = new Map<string, unknown>([
  ['status', 'pending'],
  ['trigger', 'schedule'],
  ['uuid', newId(new Date())],
  ['text', 'x'],
  ['bytea', Buffer.from('x')],
  ['jsonb', '{}'],
  ['timestamp with time zone', new Date()],
  ['integer', 1],
  ['bigint', 1],
  ['numeric', 1],
  ['boolean', true],
]);

let tests: TestDatabase;
let upkeep: pg.Client;
let reader: pg.Client;

beforeEach(async () => {
  tests = await createMigratedDatabase();
  upkeep = new pg.Client({ connectionString: tests.url });
  reader = new pg.Client({ connectionString: tests.url });
  await Promise.all([upkeep.connect(), reader.connect()]);
});

afterEach(async () => {
  await Promise.all([upkeep.end(), reader.end()]);
  await tests.drop();
});

async function partitionedTables(): Promise<string[]> {
  const rows = await tests.asOwner<{ name: string }>(
    `select relname as name from pg_partitioned_table join pg_class on oid = partrelid order by 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Removes all partitions of a table except the default one, and adds a row of today to it, as if the app had not run
 * for days.
 */
async function strayRow(table: string): Promise<void> {
  const parts = await tests.asOwner<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on oid = inhrelid
     where inhparent = ('governance.' || $1)::regclass and relname <> $1 || '_default'`,
    [table],
  );
  for (const { name } of parts) await tests.asOwner(`drop table governance.${name}`);
  const columns = await tests.asOwner<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = ('governance.' || $1)::regclass and attnum > 0 and attnotnull and not atthasdef`,
    [table],
  );
  await tests.asOwner(
    `insert into governance.${table} (${columns.map(({ name }) => name).join(', ')})
     values (${columns.map((_, at) => `$${at + 1}`).join(', ')})`,
    columns.map(({ name, type }) => VALUES.get(name) ?? VALUES.get(type)),
  );
}

const upkeepOf = (table: string): string =>
  table === 'usage_events'
    ? 'select governance.keep_usage_partitions(400)'
    : `select governance.keep_partitions(array['${table}'], 3, 30)`;

// A statement lists the partitions of a table, and then waits for the lock of each partition. Meanwhile, rows may move
// to a new partition, where the statement misses them.
it('shows rows to readers while they move into a new partition, in every partitioned table', async () => {
  const seen: Record<string, number | null> = {};
  const tables = await partitionedTables();
  for (const table of tables) {
    await strayRow(table);
    await upkeep.query('begin');
    await upkeep.query(upkeepOf(table));
    const read = reader.query(`select from governance.${table}`);
    await until(async () => {
      const waiting = await tests.asOwner(
        `select from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
      );
      return waiting.length > 0;
    });
    await upkeep.query('commit');
    seen[table] = (await read).rowCount;
  }
  expect(tables).toEqual([
    ...['decisions', 'events', 'incident_occurrences', 'usage_events', 'webhook_attempts', 'webhook_deliveries'],
  ]);
  expect(seen).toEqual(Object.fromEntries(tables.map(table => [table, 1])));
});
