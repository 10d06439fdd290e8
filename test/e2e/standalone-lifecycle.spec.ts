import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { runCommand } from '../support/bundled-app.js';
import { createTestDatabase } from '../support/test-postgres.js';
import {
  launch,
  newDataDir,
  postgresOn,
  startStandalone,
  type StandaloneProcess,
} from '../support/standalone-process.js';

const TOKEN = 'c'.repeat(40);
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };

describe('the lifecycle of the bundled app', () => {
  const running: StandaloneProcess[] = [];
  const folders: string[] = [];
  const first = newDataDir();

  beforeAll(async () => {
    const app = await start(first);
    await app.end('SIGTERM');
    running.splice(0);
  });

  afterAll(() => rmSync(first, { recursive: true, force: true }));

  /** A data folder of an app that starts for the first time. */
  function newFolder(): string {
    const made = newDataDir();
    folders.push(made);
    return made;
  }

  /** A data folder of an app that has run before. */
  function folder(): string {
    const made = newFolder();
    // The copy keeps the owners of the files, because the files belong to different users.
    execFileSync('cp', ['-a', `${first}/.`, made]);
    return made;
  }

  async function start(dataDir: string): Promise<StandaloneProcess> {
    const app = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir, GOVERNANCE_ADMIN_TOKEN: TOKEN });
    running.push(app);
    return app;
  }

  function urlsIn(dataDir: string): { url: string; migrationUrl: string } {
    return JSON.parse(readFileSync(join(dataDir, 'postgres-running.json'), 'utf8')) as never;
  }

  async function query<T extends object>(url: string, ...statements: string[]): Promise<T[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (const statement of statements.slice(0, -1)) await client.query(statement);
      return (await client.query<T>(statements.at(-1) ?? '')).rows;
    } finally {
      await client.end();
    }
  }

  /** Sends raw bytes and collects the answer. Resolves when the connection is closed. */
  function raw(app: StandaloneProcess, text: string): { socket: Socket; answer: Promise<string> } {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', chunk => (answer += String(chunk))).on('error', () => undefined);
    socket.write(text);
    return { socket, answer: once(socket, 'close').then(() => answer) };
  }

  afterEach(async () => {
    for (const app of running.splice(0)) if (!app.hasEnded()) await app.end('SIGTERM');
    for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
  });

  it.each(['at once', 'while the database starts', 'when the database runs'])(
    'stops its database if SIGTERM arrives during the start: %s',
    async moment => {
      const dataDir = newFolder();
      const child = launch('main', [], { GOVERNANCE_DATA_DIR: dataDir, PORT: '0' });
      const sign = { 'while the database starts': 'postgres.log', 'when the database runs': 'postgres-running.json' }[
        moment
      ];
      if (sign === undefined) await new Promise(done => setTimeout(done, 600));
      else while (!existsSync(join(dataDir, sign))) await new Promise(done => setTimeout(done, 5));
      child.kill('SIGTERM');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).toBe(0);
      expect(postgresOn(dataDir)).toEqual([]);
      expect(existsSync(join(dataDir, 'lock.json'))).toBe(false);
    },
  );

  it('logs the death of its database and exits with an error', async () => {
    const dataDir = folder();
    const app = await start(dataDir);
    const [postmaster] = postgresOn(dataDir);
    expect(postmaster).toBeGreaterThan(1);
    const ended = once(app.process, 'exit') as Promise<[number | null]>;
    process.kill(postmaster ?? 0, 'SIGKILL');
    expect((await ended)[0]).toBe(1);
    expect(app.output()).toMatch(/The embedded PostgreSQL ended by SIGKILL/);
    expect((await fetchPolicies(await start(dataDir))).status).toBe(200);
  });

  it('lets one of two apps use a folder if both start with it at the same time', async () => {
    const dataDir = newFolder();
    const both = [0, 1].map(() => start(dataDir));
    const results = await Promise.allSettled(both);
    expect(results.map(result => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = results.find(result => result.status === 'rejected');
    expect(String(refused?.reason)).toMatch(/Another instance \(process (\d+|just starting)\) runs on/);
    const [winner] = running;
    if (!winner) throw new Error('nobody won');
    expect((await fetchPolicies(winner)).status).toBe(200);
  });

  it('does not treat a process that reuses the process id of a killed one as another instance', async () => {
    const dataDir = folder();
    // Uses the id of this process, which is running, and whose command line contains `node`.
    writeFileSync(join(dataDir, 'lock.json'), JSON.stringify({ pid: process.pid, started: 'long ago' }));
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(dataDir, 'postgres')}\n`);
    expect((await fetchPolicies(await start(dataDir))).status).toBe(200);
  });

  it('connects with a login role that may read no table without the role of the app', async () => {
    const dataDir = folder();
    const app = await start(dataDir);
    const { url, migrationUrl } = urlsIn(dataDir);
    for (const file of ['login-password', 'postgres-password', 'postgres-running.json']) {
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    }
    expect((await fetchPolicies(app)).status).toBe(200);
    const logins = await query<{ name: string; rolsuper: boolean }>(
      migrationUrl,
      `select distinct usename as name, rolsuper from pg_stat_activity join pg_roles on rolname = usename
       where application_name like 'nest-llm-governance%'`,
    );
    expect(logins).toEqual([{ name: 'governance_login', rolsuper: false }]);
    const tables = ['organizations', 'access_tokens', 'audit_log'];
    for (const table of tables) {
      const seen = query(url, 'set role none', `select * from governance.${table}`);
      await expect(seen).rejects.toThrow(/permission denied/);
      expect(await query(url, 'set role governance_app', `select * from governance.${table}`)).toEqual([]);
    }
    const rights = await query(url, 'select rolsuper, rolbypassrls, rolinherit from pg_roles where rolname = user');
    expect(rights).toEqual([{ rolsuper: false, rolbypassrls: false, rolinherit: false }]);
  });

  it('keeps stored data out of the log of its database, and the log readable only for its owner', async () => {
    const dataDir = folder();
    const log = join(dataDir, 'postgres.log');
    // Creates the log and the folder with the permissions that an earlier start may have given them.
    writeFileSync(log, '', { mode: 0o644 });
    chmodSync(dataDir, 0o711);
    await start(dataDir);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(statSync(dataDir).mode & 0o007).toBe(0);
    const { url, migrationUrl } = urlsIn(dataDir);
    const keys = `create temp table people (email text primary key)`;
    const twice = `insert into people values ('grace@example.com'), ('grace@example.com')`;
    const refused = [
      query(url, keys, twice),
      query(migrationUrl, keys, twice),
      query(url, `select 1/0, 'grace@example.com'`),
      // The error message of this statement repeats the value that cannot be parsed.
      query(url, `select 'grace@example.com'::uuid`),
      query(url, `select 'grace@example.com'::timestamptz`),
      query(url, `do $$ begin raise warning 'grace@example.com'; end $$; select 1/0`),
    ];
    for (const { status } of await Promise.allSettled(refused)) expect(status).toBe('rejected');
    // The log still contains the server's own messages.
    const text = readFileSync(log, 'utf8');
    expect(text).not.toContain('grace');
    expect(text).toContain('ready to accept connections');
  });

  it('runs with a login role without rights, while another role runs the migrations', async () => {
    const database = await createTestDatabase();
    const role = `worker_${process.pid}`;
    await database.asOwner(`create role ${role} login noinherit password 'worker'`);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'worker'];
    const keys = `k1:${Buffer.alloc(32, 5).toString('base64')}`;
    const env = { DATABASE_URL: url.href, GOVERNANCE_MIGRATION_URL: database.url, GOVERNANCE_KEYS: keys };
    try {
      const migrated = await runCommand(['migrate', '--json'], env);
      expect(migrated.stderr).toBe('');
      const doctor = await runCommand(['doctor', '--json'], env);
      expect(JSON.parse(doctor.stdout)).toMatchObject({
        ok: true,
        findings: expect.arrayContaining([{ check: 'role of the login', ok: true, level: 'ok', seen: role }]),
      });
      const owner = await runCommand(['doctor'], { DATABASE_URL: database.url, GOVERNANCE_KEYS: keys });
      expect(owner.stdout).toMatch(
        /^WARN  role of the login: .*which row-level security does not bind\n +.*RESET ROLE/m,
      );
      expect(owner.code).toBe(0);
    } finally {
      await database.asOwner(`drop role ${role}`);
      await database.drop();
    }
  });

  it('shuts down normally and in time while a client has sent only half of a body', async () => {
    const dataDir = folder();
    const app = await start(dataDir);
    const head = Object.entries({ host: 'x', ...AUTHORIZED, 'content-length': '500' });
    const { answer } = raw(
      app,
      `POST /v1/policies HTTP/1.1\r\n${head.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n{"name":`,
    );
    await new Promise(done => setTimeout(done, 300));
    const { code, milliseconds } = await app.end('SIGTERM');
    await answer;
    expect(code).toBe(0);
    expect(milliseconds).toBeGreaterThan(5_000);
    expect(milliseconds).toBeLessThan(14_000);
    // PostgreSQL stopped normally and removed its lock file, so the time limit was not reached.
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  it('answers requests that are not HTTP with a readable error, and does not redirect to TLS', async () => {
    const app = await start(folder());
    const answer = await raw(app, 'THIS IS NOT HTTP\r\n\r\n').answer;
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toEqual({
      error: 'bad_request',
      message: expect.any(String),
      request_id: expect.any(String),
    });
    const page = await fetch(`${app.url}/reference`);
    expect(page.headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests');
  });

  function fetchPolicies(app: StandaloneProcess): Promise<Response> {
    return fetch(`${app.url}/v1/policies`, { headers: AUTHORIZED });
  }
});
