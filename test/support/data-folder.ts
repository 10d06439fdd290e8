import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes a folder for the data of a PostgreSQL server: in memory where the run has room there, because a disk takes ten
 * times the processor to make the files of a database. Who makes it removes it.
 */
export function makeDataFolder(prefix: string): string {
  return mkdtempSync(join(process.env['TEST_DATA_IN'] ?? tmpdir(), `${prefix}-`));
}
