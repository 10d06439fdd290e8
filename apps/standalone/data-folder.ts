import { execFileSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const LOCK_FILE = 'lock.json';
/** A lock file that is empty counts as being written for this many milliseconds. */
const WRITING_MS = 5_000;
const TAKEOVER_CHECK_MS = 100;
/**
 * States of a process that has ended: dead, or a zombie (for example killed in a container without an init process).
 */
const ENDED = new Set(['Z', 'X']);

/** Identifies a process even after another process has got its pid. */
interface ProcessMark {
  pid: number;
  /** Start time of the process, as the system reports it; undefined if the system does not report it. */
  started?: string | undefined;
}

/**
 * Locks a data folder for this process. Returns a function that unlocks it. The exit of the process unlocks it, too.
 * @throws Error if a living process holds the lock
 */
export async function takeDataFolder(dataDir: string): Promise<() => void> {
  const folder = makeFolder(dataDir);
  const file = join(folder, LOCK_FILE);
  const mark = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies ProcessMark);
  if (!create(file, mark)) {
    refuseIfHeld(folder);
    rmSync(file, { force: true });
    if (!create(file, mark)) refuseIfHeld(folder);
    // Another process may have found the same stale lock and replaced this process's lock. The process that wrote last
    // holds the lock.
    await new Promise(done => setTimeout(done, TAKEOVER_CHECK_MS));
    if (read(file) !== mark) throw inUse(folder, holderOf(folder)?.pid);
  }
  const release = (): void => {
    process.removeListener('exit', release);
    if (read(file) === mark) rmSync(file, { force: true });
  };
  process.once('exit', release);
  return release;
}

/**
 * Creates a folder with its missing parents. Returns its full path. Creates one level at a time. Node.js's recursive
 * mkdir would never return on a file system that refuses new folders with ENOENT, such as /proc.
 * @throws Error that names GOVERNANCE_DATA_DIR and the reason
 */
export function makeFolder(dataDir: string): string {
  const folder = resolve(dataDir);
  const missing: string[] = [];
  for (let each = folder; !existsSync(each); each = dirname(each)) missing.unshift(each);
  try {
    for (const each of missing) mkdirIfMissing(each);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!statSync(folder).isDirectory()) throw new Error('it is not a folder');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`GOVERNANCE_DATA_DIR: ${folder} cannot be used (${reason}). Name a folder that can be written.`, {
      cause: error,
    });
  }
  return folder;
}

function mkdirIfMissing(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another process may have created the folder meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** The living process that holds the data folder, if there is one. */
export function holderOf(dataDir: string): ProcessMark | undefined {
  const text = read(join(resolve(dataDir), LOCK_FILE));
  if (text === undefined) return undefined;
  try {
    const mark: unknown = JSON.parse(text);
    return isMark(mark) && isAlive(mark) ? mark : undefined;
  } catch {
    return undefined;
  }
}

function refuseIfHeld(folder: string): void {
  const holder = holderOf(folder);
  if (holder) throw inUse(folder, holder.pid);
  const file = join(folder, LOCK_FILE);
  if (read(file) === '' && Date.now() - statSync(file).mtimeMs < WRITING_MS) throw inUse(folder, undefined);
}

function inUse(folder: string, pid: number | undefined): Error {
  return new Error(
    `Another instance (process ${pid ?? 'just starting'}) runs on ${folder}. Stop it first, or give this one its own ` +
      'GOVERNANCE_DATA_DIR; to run several replicas, give all of them one DATABASE_URL.',
  );
}

/** Creates a file. Returns false if the file exists. */
function create(file: string, text: string): boolean {
  let handle: number;
  try {
    handle = openSync(file, 'wx', 0o600);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
  writeSync(handle, text);
  closeSync(handle);
  return true;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function isMark(value: unknown): value is ProcessMark {
  return typeof value === 'object' && value !== null && 'pid' in value && Number.isInteger(value.pid);
}

function isAlive(mark: ProcessMark): boolean {
  if (mark.started !== undefined) return startOf(mark.pid) === mark.started;
  try {
    return process.kill(mark.pid, 0);
  } catch {
    return false;
  }
}

/**
 * Start time of a process. It distinguishes the process from later ones with the same pid, even after a restart of the
 * machine or container. Undefined if no such process exists, or if it is a zombie.
 */
function startOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      // The fields from the third one on. The second field is the program's name in brackets, which may itself contain
      // spaces and brackets.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const [state, ticks] = [fields[0] ?? '', fields[19]];
      if (ENDED.has(state)) return undefined;
      return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
    }
    if (process.platform === 'win32') return undefined;
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
