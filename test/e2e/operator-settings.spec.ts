import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blocksOf } from '../docs/markdown.js';
import { runCommand, startInProcess } from '../support/bundled-app.js';
import { makeDataFolder } from '../support/data-folder.js';
import { createMigratedDatabase } from '../support/migrated-database.js';
import { createTestDatabase, type TestDatabase } from '../support/test-postgres.js';
import { runToEnd, startStandalone } from '../support/standalone-process.js';
import { until } from '../support/webhooks.js';

const keysOf = (byte: number, id = 'k1'): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const TOKEN = 'd'.repeat(40);
const CHECKS = ['connection', 'PostgreSQL version', 'migrations', 'row-level security', 'key bytes', 'approvals'];

describe('an operator of the bundled app', () => {
  const databases: TestDatabase[] = [];
  let migrated: TestDatabase;

  beforeAll(async () => {
    migrated = await createMigratedDatabase();
    databases.push(migrated);
  });

  afterAll(async () => {
    for (const database of databases) await database.drop();
  });

  async function empty(): Promise<TestDatabase> {
    const database = await createTestDatabase();
    databases.push(database);
    return database;
  }

  const env = (database: { url: string }, byte = 1) => ({ DATABASE_URL: database.url, GOVERNANCE_KEYS: keysOf(byte) });

  async function hasSchema(database: TestDatabase): Promise<boolean> {
    return (await database.asOwner(`select from pg_namespace where nspname = 'governance'`)).length > 0;
  }

  describe('with other key bytes under an id in use', () => {
    let database: TestDatabase;

    beforeAll(async () => {
      database = await createMigratedDatabase();
      databases.push(database);
      const app = await startInProcess({ ...env(database), GOVERNANCE_ADMIN_TOKEN: TOKEN });
      await app.stop(0);
    });

    it('cannot start the app or run rewrap, and gets an error with the id of the key', async () => {
      for (const [program, args] of [
        ['main', []],
        ['cli', ['rewrap']],
      ] as const) {
        const refused = await runToEnd(program, [...args], { ...env(database, 2), PORT: '0' });
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(/other bytes than before are given under the id "k1"/);
        expect(refused.stderr).not.toContain(keysOf(2));
      }
    });

    it('gets a finding of doctor, which continues with the other checks', async () => {
      const { code, stdout } = await runCommand(['doctor'], env(database, 2));
      expect(code).toBe(1);
      expect(stdout).toMatch(/^FAIL {2}key bytes: other bytes than before under: k1$/m);
      expect(stdout).toMatch(/^ok {4}row-level security/m);
    });

    it("starts the app with only a new key after the guide's statements for a lost key", async () => {
      const lost = await createMigratedDatabase();
      databases.push(lost);
      const variables = { DATABASE_URL: lost.url, GOVERNANCE_ADMIN_TOKEN: TOKEN };
      const before = await startInProcess({ ...variables, GOVERNANCE_KEYS: keysOf(1) });
      const made = { method: 'POST', body: JSON.stringify({ url: 'https://hooks.example.com/', enabled: false }) };
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      expect((await fetch(`${before.url}/v1/webhooks`, { ...made, headers })).status).toBe(201);
      await before.stop(0);
      const left = { ...variables, GOVERNANCE_KEYS: keysOf(2, 'k2') };
      await expect(startInProcess(left)).rejects.toThrow('k1');
      const block = blocksOf('docs/operate.md').find(({ marks }) => marks[0] === 'lost-key');
      await lost.asOwner(block?.code ?? 'the guide has no such block');
      const after = await startInProcess(left);
      expect((await fetch(`${after.url}/v1/webhooks`, { headers })).status).toBe(200);
      await after.stop(0);
      const { stdout: organizations } = await runCommand(['org', 'list', '--json'], left);
      const [{ org_id: orgId }] = (JSON.parse(organizations) as { organizations: [{ org_id: string }] }).organizations;
      expect(await runCommand(['audit', 'seal', '--org', orgId], left)).toMatchObject({ code: 0 });
      expect(await runCommand(['audit', 'verify'], left)).toMatchObject({ code: 0 });
    });

    it('starts the app when the previous key is restored, together with a new one', async () => {
      const both = `${keysOf(2, 'k2')},${keysOf(1)}`;
      const app = await startInProcess({ ...env(database), GOVERNANCE_KEYS: both });
      await app.stop(0);
    });
  });

  it('runs the app as a role that may not migrate when GOVERNANCE_MIGRATIONS is check', async () => {
    const role = `login_${randomUUID().replaceAll('-', '')}`;
    await migrated.asOwner(`create role ${role} login noinherit password 'x'`);
    await migrated.asOwner(`grant governance_app to ${role} with inherit false, set true`);
    const url = new URL(migrated.url);
    [url.username, url.password] = [role, 'x'];
    const restricted = { DATABASE_URL: url.href, GOVERNANCE_KEYS: keysOf(1), GOVERNANCE_ADMIN_TOKEN: TOKEN };
    try {
      const refused = await runToEnd('main', [], { ...restricted, PORT: '0' });
      expect(refused.stderr).toMatch(/may not migrate: .*GOVERNANCE_MIGRATIONS=check/s);
      const named = await runCommand(['migrate'], { ...restricted, GOVERNANCE_MIGRATION_URL: url.href });
      expect(named.stderr).toMatch(/The role of GOVERNANCE_MIGRATION_URL .*may not migrate/);
      const app = await startStandalone({ ...restricted, GOVERNANCE_MIGRATIONS: 'check' });
      const answer = await fetch(`${app.url}/v1/policies`, { headers: { authorization: `Bearer ${TOKEN}` } });
      expect(answer.status).toBe(200);
      expect((await app.end('SIGTERM')).code).toBe(0);
      const behind = await runToEnd('main', [], { ...env(await empty()), GOVERNANCE_MIGRATIONS: 'check', PORT: '0' });
      expect(behind.stderr).toMatch(/lacks \d+ migrations .*npx nest-llm-governance migrate/);
    } finally {
      await migrated.asOwner(`drop owned by ${role}`);
      await migrated.asOwner(`drop role ${role}`);
    }
  });

  describe('with read-only commands', () => {
    it('changes nothing in an empty database, and gets every check', async () => {
      const database = await empty();
      const doctor = await runCommand(['doctor'], env(database));
      const audit = await runCommand(['audit', 'verify'], env(database));
      expect([doctor.code, audit.code]).toEqual([1, 1]);
      for (const check of CHECKS) expect(doctor.stdout).toMatch(new RegExp(`^(ok|WARN|FAIL) +${check}: `, 'm'));
      expect(doctor.stdout).toMatch(/^FAIL {2}migrations: missing: .*\n +Run: npx nest-llm-governance migrate$/m);
      expect(doctor.stdout).toMatch(/^FAIL {2}tables: 0 of \d+ present$/m);
      expect(await hasSchema(database)).toBe(false);
    });

    it('gets every check and no stack trace if the database is down', async () => {
      const down = env({ url: 'postgres://nobody@127.0.0.1:1/none' });
      const [doctor, audit] = await Promise.all([
        runToEnd('cli', ['doctor'], down),
        runToEnd('cli', ['audit', 'verify'], down),
      ]);
      expect([doctor.code, audit.code]).toEqual([1, 1]);
      for (const check of CHECKS) expect(doctor.stdout).toMatch(new RegExp(`^(ok|WARN|FAIL) +${check}: `, 'm'));
      expect(doctor.stdout).toMatch(/^FAIL {2}connection: .*ECONNREFUSED/m);
      for (const { stdout, stderr } of [doctor, audit]) expect(stdout + stderr).not.toMatch(/^\s+at /m);
      expect(audit.stderr.trim().split('\n')).toHaveLength(1);
    });

    it('gets a finding for wrong settings', async () => {
      const { code, stdout } = await runCommand(['doctor'], { ...env(migrated), GOVERNANCE_POOL_SIZE: 'many' });
      expect(code).toBe(1);
      expect(stdout).toMatch(/^ok {4}Node.js version: /m);
      expect(stdout).toMatch(/^FAIL {2}settings: GOVERNANCE_POOL_SIZE must be a whole number/m);
    });

    it('creates no files if no app has run', async () => {
      const dataDir = join(makeDataFolder('governance-none'), 'data');
      const { code, stdout } = await runCommand(['doctor'], { GOVERNANCE_DATA_DIR: dataDir });
      expect(code).toBe(1);
      expect(stdout).toMatch(/There is no database in .* yet/);
      expect(() => readFileSync(dataDir)).toThrow(/ENOENT/);
    });
  });

  it('gets the token of the first start at the second one if the port was in use at the first', async () => {
    const dataDir = makeDataFolder('governance-port');
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const first = await runToEnd('main', [], { GOVERNANCE_DATA_DIR: dataDir, PORT: String(port) });
      expect(first.code).toBe(1);
      expect(first.stderr).toMatch(new RegExp(`Port ${port} of 127.0.0.1 is in use.* Set PORT to a free one`));
      const second = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir });
      expect(second.token).toMatch(/^gov_/);
      const headers = { authorization: `Bearer ${second.token}` };
      expect((await fetch(`${second.url}/v1/policies`, { headers })).status).toBe(200);
      await second.end('SIGTERM');
      const third = await startStandalone({ GOVERNANCE_DATA_DIR: dataDir });
      expect(third.token).toBeUndefined();
      const [, advice = ''] = /npm run -s cli -- (token create [^"]*)"/.exec(third.output()) ?? [];
      const made = await runCommand(advice.split(' '), { GOVERNANCE_DATA_DIR: dataDir });
      expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^gov_/) });
      await third.end('SIGTERM');
    } finally {
      taken.close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('gets a warning about another organization if GOVERNANCE_ORG_ID has a typo, and about unknown variables', async () => {
    const [first, typo] = [randomUUID(), randomUUID()];
    const variables = { ...env(migrated), GOVERNANCE_ADMIN_TOKEN: randomUUID() };
    const before = await startStandalone({ ...variables, GOVERNANCE_ORG_ID: first });
    await before.end('SIGTERM');
    expect(before.output()).not.toContain('is not a variable');
    const app = await startStandalone({
      ...variables,
      GOVERNANCE_ADMIN_TOKEN: randomUUID(),
      GOVERNANCE_ORG_ID: typo,
      GOVERNANCE_RATE_LIMITS: '3',
    });
    await until(async () => app.output().includes('GOVERNANCE_RATE_LIMITS'));
    await app.end('SIGTERM');
    expect(app.output()).toContain(`named no organization, so ${typo} was made and is empty`);
    expect(app.output()).toContain(`${first} ${JSON.stringify('"My organization"').slice(1, -1)}`);
    expect(app.output()).toMatch(/GOVERNANCE_RATE_LIMITS is not a variable.*did you mean GOVERNANCE_RATE_LIMIT\?/);
    const again = await startStandalone({ ...variables, GOVERNANCE_ORG_ID: first });
    await again.end('SIGTERM');
    expect(again.output()).not.toContain('named no organization');
  });

  it('sees requests answered and connections closed after SIGTERM while readiness is 503', async () => {
    const variables = { ...env(migrated), GOVERNANCE_ADMIN_TOKEN: TOKEN, GOVERNANCE_DRAIN_SECONDS: '2' };
    const app = await startStandalone(variables);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = (path: string): Promise<{ status: number; connection: string | undefined }> =>
      new Promise((done, failed) => {
        const sent = request(app.url + path, { agent, headers: { authorization: `Bearer ${TOKEN}` } }, response => {
          response.resume().once('end', () => {
            done({ status: response.statusCode ?? 0, connection: response.headers.connection });
          });
        });
        sent.once('error', failed).end();
      });
    expect(await get('/v1/policies')).toEqual({ status: 200, connection: 'keep-alive' });
    const ended = app.end('SIGTERM');
    await until(async () => (await get('/health/ready')).status === 503);
    expect(await get('/v1/policies')).toEqual({ status: 200, connection: 'close' });
    expect(await get('/health/live')).toEqual({ status: 200, connection: 'close' });
    const { code, milliseconds } = await ended;
    agent.destroy();
    expect(code).toBe(0);
    expect(milliseconds).toBeGreaterThan(1_900);
    // The idle connection must not delay the shutdown.
    expect(milliseconds).toBeLessThan(8_000);
  });

  it('gets an error with the allowed methods and a retry time', async () => {
    const app = await startInProcess({ ...env(migrated), GOVERNANCE_ADMIN_TOKEN: TOKEN });
    const send = (method: string, path: string) =>
      fetch(app.url + path, { method, headers: { authorization: `Bearer ${TOKEN}` } });
    const wrong = await send('PUT', '/v1/policies');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, POST');
    expect(await wrong.json()).toMatchObject({ error: 'method_not_allowed', request_id: expect.any(String) });
    expect((await send('GET', '/v1/nowhere')).status).toBe(404);
    expect((await send('GET', `/v1/policies/${randomUUID()}`)).status).toBe(404);
    await app.stop(0);
  });

  it('gets an error to install a newer Node.js if the installed one is too old', async () => {
    const old = `data:text/javascript,Object.defineProperty(process, "version", { value: "v20.19.0" })`;
    for (const program of ['main', 'cli'] as const) {
      const args = program === 'cli' ? ['doctor'] : [];
      const { code, stderr } = await runToEnd(program, args, { NODE_OPTIONS: `--import=${encodeURI(old)}` });
      expect(code).toBe(1);
      expect(stderr).toMatch(/Node\.js 22\.19\.0 or newer is needed, and this is v20\.19\.0/);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });
});
