import pg from 'pg';
import { createTestDatabase, serverUrl, type TestDatabase } from './test-postgres.js';

// Two-part advisory lock: 'gove', template.
const LOCK = [0x676f7665, 0x7465];

/** A database of its own for one test file, in which all migrations have run: a copy of one that the run makes once. */
export async function createMigratedDatabase(): Promise<TestDatabase> {
  return createTestDatabase(await template());
}

/** The name of the run's template, which is made by whichever file is the first to ask for it. */
async function template(): Promise<string> {
  const name = process.env['TEST_TEMPLATE'];
  if (!name) throw new Error('TEST_TEMPLATE is not set: run the tests with npm test');
  const server = new pg.Client({ connectionString: serverUrl() });
  await server.connect();
  try {
    // Ends with the connection.
    await server.query('select pg_advisory_lock($1, $2)', LOCK);
    const { rowCount } = await server.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) await makeTemplate(name, server);
  } finally {
    await server.end();
  }
  return name;
}

/** Under another name until it is whole; nobody connects to it from then on, or it could not be copied. */
async function makeTemplate(name: string, server: pg.Client): Promise<void> {
  const unfinished = `${name}_unfinished`;
  await server.query(`drop database if exists ${unfinished} with (force)`);
  await server.query(`create database ${unfinished}`);
  const url = new URL(serverUrl());
  url.pathname = `/${unfinished}`;
  // Loaded here only: most files that need the tables need nothing else of the whole module.
  const [{ migrate }, { MIGRATIONS }] = await Promise.all([import('#database'), import('#governance')]);
  await migrate({ url: url.href }, MIGRATIONS);
  await server.query(`alter database ${unfinished} rename to ${name}`);
  await server.query(`alter database ${name} allow_connections false`);
}
