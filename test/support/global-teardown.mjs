import { rmSync } from 'node:fs';
import pg from 'pg';

export default async function teardown() {
  if (!globalThis.testPostgres) await dropTemplate();
  await globalThis.testPostgres?.stop();
  rmSync(process.env.TEST_COMPILE_CACHE, { recursive: true, force: true });
  // With what test files have left in it.
  rmSync(process.env.TEST_DATA_IN, { recursive: true, force: true });
}

/** A server of somebody else's is left as it was. */
async function dropTemplate() {
  const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await client.connect();
  await client.query(`drop database if exists ${process.env.TEST_TEMPLATE}`);
  await client.end();
}
