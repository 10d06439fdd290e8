import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a folder for the data of a PostgreSQL server. The folder is in memory if the memory has room, because
 * creating the files of a database on a disk takes ten times the CPU time. The caller removes it.
 */
export function makeDataFolder(prefix: string): string {
  return mkdtempSync(join(process.env['TEST_DATA_IN'] ?? tmpdir(), `${prefix}-`));
}
