import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 1024 ** 3;

/** One PostgreSQL server for the whole run: the server in DATABASE_URL, or an embedded one. */
export default async function setup() {
  // All temporary files of the run are in one folder, which is removed at the end.
  process.env.TMPDIR = mkdtempSync(join(tmpdir(), 'governance-run-'));
  process.env.TEST_COMPILE_CACHE = join(tmpdir(), 'compiled');
  // The folder is within the build, so that files in it can resolve packages.
  process.env.TEST_BUNDLES = join(ROOT, 'dist', 'test', basename(process.env.TMPDIR));
  process.env.TEST_DATA_IN = mkdtempSync(join(inMemory() ?? tmpdir(), 'governance-data-'));
  // The servers run as another user, who needs access to the folder.
  for (const folder of [process.env.TMPDIR, process.env.TEST_DATA_IN]) chmodSync(folder, 0o711);
  // The database with all migrations. The first test file that needs this database creates it.
  process.env.TEST_TEMPLATE = `governance_template_${randomBytes(6).toString('hex')}`;
  if (process.env.DATABASE_URL) {
    process.env.TEST_POSTGRES_URL = process.env.DATABASE_URL;
    return;
  }
  // Node can run this file, because it strips the types itself and the file imports no other TypeScript file.
  const { startEmbeddedPostgres } = await import('../../apps/standalone/embedded-postgres.ts');
  const dataDir = mkdtempSync(join(process.env.TEST_DATA_IN, 'governance-test-'));
  globalThis.testPostgres = await startEmbeddedPostgres(dataDir, { durable: false, flags: ['max_connections=500'] });
  process.env.TEST_POSTGRES_URL = globalThis.testPostgres.url;
}

/**
 * A folder in memory with room for the data. On a disk, creating the 700 files of a database takes ten times the CPU
 * time.
 */
function inMemory() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ROOM_BYTES ? MEMORY : undefined;
  } catch {
    return undefined;
  }
}
