import { rmSync } from 'node:fs';
import pg from 'pg';

export default async function teardown() {
  if (!globalThis.testPostgres) await dropTemplate();
  await globalThis.testPostgres?.stop();
  // Removes the files of all tests. Retries, because a process that is ending may still write.
  for (const folder of [process.env.TEST_DATA_IN, process.env.TEST_BUNDLES, process.env.TMPDIR]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Stops the server only if the run has started it. */
async function dropTemplate() {
  const client = new pg.Client({ connectionString: process.env.TEST_POSTGRES_URL });
  await client.connect();
  await client.query(`drop database if exists ${process.env.TEST_TEMPLATE}`);
  await client.end();
}
