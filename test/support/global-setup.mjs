import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One PostgreSQL for the whole run: the one that DATABASE_URL names, or an embedded one. */
export default async function setup() {
  process.env.TEST_COMPILE_CACHE = mkdtempSync(join(tmpdir(), 'governance-compiled-'));
  // The database with all migrations, which the first file that needs it makes.
  process.env.TEST_TEMPLATE = `governance_template_${randomBytes(6).toString('hex')}`;
  if (process.env.DATABASE_URL) {
    process.env.TEST_POSTGRES_URL = process.env.DATABASE_URL;
    return;
  }
  // Node strips the types itself; the file has no imports of its own kind.
  const { startEmbeddedPostgres } = await import('../../apps/standalone/embedded-postgres.ts');
  const dataDir = mkdtempSync(join(tmpdir(), 'governance-test-'));
  globalThis.testPostgres = await startEmbeddedPostgres(dataDir, { durable: false, flags: ['max_connections=500'] });
  globalThis.testPostgresDir = dataDir;
  process.env.TEST_POSTGRES_URL = globalThis.testPostgres.url;
}
