import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './data-folder.js';

const KEYS_FILE = 'keys';

/**
 * The keys for the embedded database. They are in a file in the data folder, which the first start creates. For a
 * database on another server, keys must be configured, because they must outlive this machine.
 * @throws Error that says what to do if there are no keys and none may be created
 */
export function keysOf(dataDir: string, databaseUrl: string | undefined, mayMake: boolean): string {
  if (databaseUrl !== undefined) {
    throw new Error(
      'GOVERNANCE_KEYS is required with DATABASE_URL: it seals secrets in the database, and every replica needs the ' +
        'same. Make one with: echo "k1:$(openssl rand -base64 32)"',
    );
  }
  const file = join(dataDir, KEYS_FILE);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  // If a new key were created, everything that the missing key has encrypted would be unreadable.
  if (existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(
      `The file ${file} is missing, and the database beside it was used with the key in it. Put the file back from a ` +
        'backup, or set GOVERNANCE_KEYS. Where the key is lost for good, "Rotating keys" in docs/operate.md says how to go on.',
    );
  }
  if (!mayMake) throw new Error(`There is no database in ${dataDir} yet. Start the app once, or set DATABASE_URL.`);
  makeFolder(dataDir);
  writeFileSync(file, `k1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}
