import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { makeDataFolder } from './data-folder.js';
import { freePort, unprivileged } from './debian-programs.js';

const BIN = '/usr/lib/postgresql/15/bin';
const PASSWORD = 'postgres';

/** Whether Debian's PostgreSQL 15 (package postgresql-15) is installed. */
export const HAS_POSTGRES_15 = existsSync(join(BIN, 'postgres'));

/** The folder with the programs of PostgreSQL 15, such as `pg_dump`. */
export const POSTGRES_15_BIN = BIN;

/** A server that the tests start themselves. */
export interface DebianPostgres {
  /** URL of its superuser. */
  url: string;
  stop(): Promise<void>;
}

/** Starts PostgreSQL 15 with a new data folder: loopback only, without crash safety. */
export async function startPostgres15(): Promise<DebianPostgres> {
  const folder = makeDataFolder('governance-pg15');
  const passwordFile = join(folder, 'password');
  const data = join(folder, 'data');
  const port = await freePort();
  writeFileSync(passwordFile, PASSWORD);
  // PostgreSQL refuses to run as root.
  const user = unprivileged();
  if ('uid' in user) execFileSync('chown', ['-R', 'postgres', folder]);
  chmodSync(folder, 0o755);
  const how = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--encoding=UTF8', '--no-sync'];
  execFileSync(join(BIN, 'initdb'), ['-D', data, ...how, '--locale=C'], { ...user, stdio: 'ignore' });
  return serve(folder, data, port);
}

/** Starts a hot standby of a server from a copy by `pg_basebackup`. It streams from the server. */
export async function startStandby15(primary: DebianPostgres): Promise<DebianPostgres> {
  const folder = makeDataFolder('governance-pg15-standby');
  const user = unprivileged();
  if ('uid' in user) execFileSync('chown', ['-R', 'postgres', folder]);
  chmodSync(folder, 0o755);
  const data = join(folder, 'data');
  const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync'];
  execFileSync(join(BIN, 'pg_basebackup'), ['-d', primary.url, '-D', data, ...how], { ...user, stdio: 'ignore' });
  return serve(folder, data, await freePort());
}

/** Runs a server with a data folder until it is stopped. */
async function serve(folder: string, data: string, port: number): Promise<DebianPostgres> {
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'];
  const server = spawn(join(BIN, 'postgres'), ['-D', data, ...settings.flatMap(each => ['-c', each])], {
    ...unprivileged(),
    stdio: 'ignore',
  });
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  await untilReady(url);
  return {
    url,
    async stop() {
      if (server.exitCode !== null) return;
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (attempt >= 600) throw error;
      await new Promise(done => setTimeout(done, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
