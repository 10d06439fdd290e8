import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { holderOf } from './data-folder.js';

/**
 * A running app writes this file to the data folder, so that commands find its database. Only its owner can read it.
 */
interface RunningFile {
  /** The process that started the database server. */
  pid: number;
  url: string;
  migrationUrl: string;
}

const RUNNING_FILE = 'postgres-running.json';

/** Writes the file. Returns a function that deletes it. The exit of the process deletes it, too. */
export function announceDatabase(dataDir: string, urls: { url: string; migrationUrl: string }): () => void {
  const file = join(resolve(dataDir), RUNNING_FILE);
  writeFileSync(file, JSON.stringify({ pid: process.pid, ...urls } satisfies RunningFile), { mode: 0o600 });
  const remove = (): void => {
    process.removeListener('exit', remove);
    rmSync(file, { force: true });
  };
  process.once('exit', remove);
  return remove;
}

/** The database of a running app on this data folder, if there is one. */
export function findRunningDatabase(dataDir: string): RunningFile | undefined {
  try {
    const running: unknown = JSON.parse(readFileSync(join(resolve(dataDir), RUNNING_FILE), 'utf8'));
    return isRunningFile(running) && holderOf(dataDir)?.pid === running.pid ? running : undefined;
  } catch {
    return undefined;
  }
}

function isRunningFile(value: unknown): value is RunningFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['url', 'migrationUrl'].every(key => typeof Reflect.get(value, key) === 'string')
  );
}
