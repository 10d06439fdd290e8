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
  await server.query(`alter database ${unfinished} rename to ${name}`);
  await server.query(`alter database ${name} allow_connections false`);
}
