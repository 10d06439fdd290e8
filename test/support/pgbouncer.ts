import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { makeDataFolder } from './data-folder.js';
import { debianProgram, freePort, startProgram, unprivileged } from './debian-programs.js';

/** The path of PgBouncer; undefined if the Debian package `pgbouncer` is not installed. */
export const PGBOUNCER = debianProgram('pgbouncer');

/** A pooler in front of a PostgreSQL server. */
export interface Pooler {
  /** Changes a URL so that it leads to the pooler. */
  through(url: string): string;
  readonly output: () => string;
  stop(): Promise<void>;
}

/**
 * Starts PgBouncer on a free port of 127.0.0.1, in front of the server of a URL.
 * @param login its only account, with the password
 * @param settings lines of its section `[pgbouncer]`, such as those of the guide
 */
export async function startPgBouncer(
  serverUrl: string,
  login: { role: string; password: string },
  settings: string,
): Promise<Pooler> {
  if (PGBOUNCER === undefined) throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  const folder = makeDataFolder('governance-pgbouncer');
  chmodSync(folder, 0o755);
  const { hostname, port: serverPort } = new URL(serverUrl);
  const port = await freePort();
  const own = ['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = scram-sha-256'];
  const users = join(folder, 'users.txt');
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${login.role}" "${login.password}"\n`);
  const databases = `[databases]\n* = host=${hostname} port=${serverPort}\n`;
  writeFileSync(file, [databases, '[pgbouncer]', ...own, `auth_file = ${users}`, settings, ''].join('\n'));
  const program = startProgram(PGBOUNCER, [file], unprivileged());
  const through = (url: string): string => {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${port}`;
    [changed.username, changed.password] = [login.role, login.password];
    return changed.href;
  };
  await untilAnswered(through(serverUrl), program.output);
  return {
    through,
    output: program.output,
    async stop() {
      await program.stop('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilAnswered(url: string, output: () => string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select 1');
      return;
    } catch (error) {
      if (attempt >= 200) throw new Error(`PgBouncer does not answer: ${output()}`, { cause: error });
      await new Promise(done => setTimeout(done, 50));
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
