import pg from 'pg';
import { createTestDatabase, serverUrl, type TestDatabase } from './test-postgres.js';

// The two parts of the advisory lock for the template, as ASCII: 'gove' and 'te'.
const LOCK = [0x676f7665, 0x7465];

/**
 * A separate database for one test file, with all migrations applied: a copy of a template that the run creates once.
 */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createTestDatabase(await template());
}

/** Returns the name of the run's template. The first test file that needs the template creates it. */
async function template(): Promise<string> {
  const name = process.env['TEST_TEMPLATE'];
  if (!name) throw new Error('TEST_TEMPLATE is not set: run the tests with npm test');
  const server = new pg.Client({ connectionString: serverUrl() });
  await server.connect();
  try {
    // The lock is released when the connection ends.
    await server.query('select pg_advisory_lock($1, $2)', LOCK);
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await makeTemplate(name, server);
  } finally {
    await server.end();
  }
  return name;
}

/**
 * The template has another name until it is complete. Afterwards no process may connect to the template, because
 * PostgreSQL cannot copy a database with connections.
 */
async function makeTemplate(name: string, server: pg.Client): Promise<void> {
  const unfinished = `${name}_unfinished`;
  await server.query(`drop database if exists ${unfinished} with (force)`);
  await server.query(`create database ${unfinished}`);
  const url = new URL(serverUrl());
  url.pathname = `/${unfinished}`;
  // Imports these libraries only here, because most test files with tables do not need them.
  const [{ migrate }, { MIGRATIONS }] = await Promise.all([import('#database'), import('#governance')]);
  await migrate({ url: url.href }, MIGRATIONS);
  await createPartitions(url.href);
  await server.query(`alter database ${unfinished} rename to ${name}`);
  await server.query(`alter database ${name} allow_connections false`);
}

/** Creates the partitions that each app would otherwise create at its start, which takes most of the start's time. */
async function createPartitions(url: string): Promise<void> {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  try {
    const { rows } = await database.query<{ table: string }>(
      `select c.relname as table from pg_partitioned_table p
       join pg_class c on c.oid = p.partrelid
       join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
       where a.atttypid = 'uuid'::regtype and p.partdefid <> 0`,
    );
    // One transaction per table, because the function locks the table.
    for (const { table } of rows) {
      await database.query('select governance.keep_partitions(array[$1::text], 3, 366)', [table]);
    }
  } finally {
    await database.end();
  }
}
