import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { parse, stringify } from 'yaml';
import { blocksOf } from '../docs/markdown.js';
import { makeDataFolder } from './data-folder.js';
import { HAS_POSTGRES_15 } from './debian-postgres.js';
import { debianProgram, freePort, startProgram, unprivileged, type RunningProgram } from './debian-programs.js';

const [PATRONI, ETCD, HAPROXY] = ['patroni', 'etcd', 'haproxy'].map(debianProgram);

/**
 * The programs that the failover tests need and this machine lacks, as a phrase for a test title. False if nothing is
 * missing.
 */
export const NO_PATRONI =
  (PATRONI === undefined && 'no Patroni') ||
  (ETCD === undefined && 'no etcd') ||
  (HAPROXY === undefined && 'no HAProxy') ||
  (!HAS_POSTGRES_15 && 'no PostgreSQL 15');

/** The names of the servers in the guide. */
const NAMES = ['db-1', 'db-2', 'db-3'];
const PASSWORD = 'postgres';
const WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;
const CONNECT_MS = 2_000;
const STREAMING = "select pid from pg_stat_replication where state = 'streaming'";

/** A server of the cluster, as Patroni sees it. */
export interface Member {
  readonly name: string;
  readonly role: 'leader' | 'replica' | 'sync_standby';
  readonly state: string;
}

/** Servers of PostgreSQL 15 that Patroni manages, with etcd, behind HAProxy. */
export interface PatroniCluster {
  /** URL for the superuser. It leads to HAProxy, which forwards to the primary. */
  readonly url: string;
  members(): Promise<readonly Member[]>;
  /** Waits until the cluster has a primary, other than `not`, and a synchronous standby. @returns the primary */
  settled(not?: string): Promise<string>;
  /** Waits until this number of standbys receives the log of the primary. */
  streaming(standbys: number): Promise<void>;
  /**
   * Freezes the processes that send the log of a primary (SIGSTOP). A commit that does not wait for a standby still
   * succeeds.
   */
  stopSenders(primary: string): Promise<void>;
  /** Kills Patroni and PostgreSQL of a server at once with SIGKILL, as if its machine had failed. */
  kill(name: string): void;
  /** Starts Patroni again on a server that was killed. */
  restart(name: string): void;
  /** The output of all programs of the cluster, to explain a failed test. */
  output(): string;
  /** Stops every process of the cluster. */
  stop(): Promise<void>;
}

interface Server {
  readonly name: string;
  readonly folder: string;
  readonly apiPort: number;
  readonly port: number;
  program: RunningProgram;
}

/**
 * Starts etcd, three servers and HAProxy with the configuration of docs/scale.md: loopback only.
 * @param parameters of PostgreSQL in addition to those of the guide
 */
export async function startPatroni(parameters: Record<string, string> = {}): Promise<PatroniCluster> {
  if (NO_PATRONI !== false) throw new Error(`apt-get install patroni etcd-server haproxy postgresql-15: ${NO_PATRONI}`);
  const folder = makeDataFolder('governance-patroni');
  chmodSync(folder, 0o755);
  const programs: RunningProgram[] = [];
  const servers: Server[] = [];
  const output = (): string => programs.map(program => program.output()).join('\n');
  const stop = async (): Promise<void> => {
    for (const server of servers) killServer(server);
    for (const program of programs) await program.stop('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const etcdPort = await startEtcd(folder, programs);
    for (const name of NAMES) {
      const [apiPort, port] = [await freePort(), await freePort()];
      const own = join(folder, name);
      mkdirSync(own);
      const server = { name, folder: own, apiPort, port };
      writeFileSync(join(own, 'patroni.yml'), configurationOf(server, etcdPort, parameters));
      if ('uid' in unprivileged()) execFileSync('chown', ['-R', 'postgres', own]);
      servers.push({ ...server, program: runPatroni(own, programs) });
    }
    const proxyPort = await startProxy(folder, servers, programs);
    const cluster = clusterOf(servers, programs, `postgres://postgres:${PASSWORD}@127.0.0.1:${proxyPort}/postgres`);
    await cluster.settled();
    await cluster.streaming(NAMES.length - 1);
    return { ...cluster, output, stop };
  } catch (error) {
    const said = output();
    await stop();
    throw new Error(`the cluster did not start: ${said}`, { cause: error });
  }
}

function clusterOf(
  servers: readonly Server[],
  programs: RunningProgram[],
  url: string,
): Omit<PatroniCluster, 'output' | 'stop'> {
  const named = (name: string): Server => {
    const server = servers.find(each => each.name === name);
    if (!server) throw new RangeError(`no server ${name}`);
    return server;
  };
  const members = async (): Promise<readonly Member[]> => {
    for (const { apiPort } of servers) {
      const answer = await fetch(`http://127.0.0.1:${apiPort}/cluster`).catch(() => undefined);
      // The state of the cluster, as Patroni describes it.
      if (answer?.ok) return ((await answer.json()) as { members?: Member[] }).members ?? [];
    }
    return [];
  };
  return {
    url,
    members,
    settled: not =>
      eventually('the cluster has a primary and a synchronous standby', async () => {
        const found = await members();
        const leader = found.find(({ role, name, state }) => role === 'leader' && name !== not && state === 'running');
        return found.some(({ role }) => role === 'sync_standby') ? leader?.name : undefined;
      }),
    streaming: async standbys => {
      await eventually(`${standbys} standbys receive the log`, async () => {
        const found = await rowsOf(url, STREAMING).catch(() => []);
        return found.length === standbys || undefined;
      });
    },
    stopSenders: async primary => {
      const senders = await rowsOf<{ pid: number }>(urlOf(named(primary)), 'select pid from pg_stat_replication');
      for (const { pid } of senders) process.kill(pid, 'SIGSTOP');
    },
    kill: name => killServer(named(name)),
    restart: name => {
      const server = named(name);
      server.program = runPatroni(server.folder, programs);
    },
  };
}

/** The configuration of the guide for `db-1`, with the addresses of a server of this cluster. */
function configurationOf(
  { name, folder, apiPort, port }: Omit<Server, 'program'>,
  etcdPort: number,
  parameters: Record<string, string>,
): string {
  const text = replaced(blockOf('patroni'), {
    'name: db-1': `name: ${name}`,
    'etcd-1.example.com:2379,etcd-2.example.com:2379,etcd-3.example.com:2379': `127.0.0.1:${etcdPort}`,
    'db-1.example.com:8008': `127.0.0.1:${apiPort}`,
    'db-1.example.com:5432': `127.0.0.1:${port}`,
    '/var/lib/postgresql/15/governance': join(folder, 'data'),
    '10.0.0.0/24': '127.0.0.1/32',
    '…': PASSWORD,
  });
  // A file of Patroni, as the guide shows it.
  const settings = parse(text) as { postgresql: { parameters?: Record<string, string> } };
  const here = { unix_socket_directories: folder, dynamic_shared_memory_type: 'mmap', fsync: 'off' };
  settings.postgresql.parameters = { ...settings.postgresql.parameters, ...here, ...parameters };
  return stringify(settings);
}

function runPatroni(folder: string, programs: RunningProgram[]): RunningProgram {
  const path = process.env['PATH'] ?? '';
  const options = { ...unprivileged(), cwd: folder, env: { PATH: path, HOME: folder, PYTHONUNBUFFERED: '1' } };
  const program = startProgram(PATRONI ?? '', [join(folder, 'patroni.yml')], options);
  programs.push(program);
  return program;
}

async function startEtcd(folder: string, programs: RunningProgram[]): Promise<number> {
  const [port, peerPort] = [await freePort(), await freePort()];
  const [own, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const args = [
    ...['--name', 'etcd-1', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `etcd-1=${peer}`],
    ...['--listen-client-urls', own, '--advertise-client-urls', own],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ];
  programs.push(startProgram(ETCD ?? '', args));
  await eventually('etcd is healthy', async () => {
    const answer = await fetch(`${own}/health`).catch(() => undefined);
    return answer?.ok || undefined;
  });
  return port;
}

async function startProxy(folder: string, servers: readonly Server[], programs: RunningProgram[]): Promise<number> {
  const port = await freePort();
  const addresses = servers.map(({ name, port: own, apiPort }) => [
    `${name}.example.com:5432 check port 8008`,
    `127.0.0.1:${own} check port ${apiPort}`,
  ]);
  const addressed = { 'bind :5000': `bind 127.0.0.1:${port}`, ...Object.fromEntries(addresses) };
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, replaced(blockOf('primary'), addressed));
  programs.push(startProgram(HAPROXY ?? '', ['-db', '-f', file]));
  return port;
}

function blockOf(mark: string): string {
  const block = blocksOf('docs/scale.md').find(({ marks }) => marks[0] === mark);
  if (!block) throw new Error(`docs/scale.md has no block ${mark}`);
  return block.code;
}

function replaced(text: string, words: Record<string, string>): string {
  return Object.entries(words).reduce((now, [word, other]) => {
    if (!now.includes(word)) throw new Error(`docs/scale.md does not say ${word}`);
    return now.replaceAll(word, other);
  }, text);
}

const urlOf = ({ port }: Server): string => `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;

/** Kills Patroni first, so that it restarts nothing. Then kills PostgreSQL with all its processes. */
function killServer({ folder, program }: Server): void {
  program.process.kill('SIGKILL');
  const file = join(folder, 'data', 'postmaster.pid');
  if (!existsSync(file)) return;
  const postmaster = Number(readFileSync(file, 'utf8').split('\n')[0]);
  // Checks the processes first: if the server has ended, its pid may belong to another program by now.
  if (!commandOf(postmaster).includes(folder)) return;
  for (const pid of [postmaster, ...childrenOf(postmaster)]) killed(pid);
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function childrenOf(parent: number): number[] {
  const ids = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return ids.map(Number).filter(pid => {
    try {
      // In this line, the state and the parent follow the name of the program.
      return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]) === parent;
    } catch {
      return false;
    }
  });
}

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

async function rowsOf<Row extends object>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS });
  // Ignores this error, because the query also rejects when the connection ends.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function eventually<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  const deadline = performance.now() + WITHIN_MS;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`within ${WITHIN_MS} ms it did not come about that ${what}`);
    await new Promise(done => setTimeout(done, LOOK_EVERY_MS));
  }
}
