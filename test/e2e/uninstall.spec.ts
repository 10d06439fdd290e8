import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { startEmbeddedPostgres, type RunningPostgres } from '../../apps/standalone/embedded-postgres.js';
import { blocksOf } from '../docs/markdown.js';
import { readCatalog } from '../support/catalog.js';
import { runCommand, type CommandResult } from '../support/bundled-app.js';
import { newDataDir } from '../support/standalone-process.js';

const KEYS = `k1:${Buffer.alloc(32, 6).toString('base64')}`;
/** The output in docs/uninstall.md. Numbers of tables and megabytes change with every version. */
const onPage = (mark: string): string =>
  withoutNumbers(blocksOf('docs/uninstall.md').find(({ marks: [first] }) => first === mark)?.code ?? 'no such block');
const withoutNumbers = (text: string): string => text.replaceAll(/\b\d+(\.\d+)?\b/g, 'N');
const ROLES = ['governance_app', 'governance_lookup'];

// Roles belong to the whole server, so these tests use a separate server.
describe('nest-llm-governance uninstall', () => {
  const folder = newDataDir();
  let server: RunningPostgres;
  let count = 0;
  let url: string;

  beforeAll(async () => {
    server = await startEmbeddedPostgres(folder, { durable: false });
    await asAdmin(
      `create role worker login noinherit password 'x'`,
      `create role migrator login createrole password 'x'`,
      `create role plain_owner login password 'x'`,
    );
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    url = await newDatabase();
  });

  async function newDatabase(): Promise<string> {
    const name = `host_${++count}`;
    await asAdmin(`create database ${name}`, `grant create on database ${name} to migrator, plain_owner`);
    return as('postgres', name);
  }

  function as(user: string, database = new URL(url).pathname.slice(1)): string {
    const address = new URL(server.url);
    address.pathname = `/${database}`;
    if (user !== 'postgres') [address.username, address.password] = [user, 'x'];
    return address.href;
  }

  async function query(at: string, ...statements: string[]): Promise<object[]> {
    const client = new pg.Client({ connectionString: at });
    await client.connect();
    try {
      let rows: object[] = [];
      for (const sql of statements) ({ rows } = await client.query<object>(sql));
      return rows;
    } finally {
      await client.end();
    }
  }

  function asAdmin(...statements: string[]): Promise<object[]> {
    return query(server.url, ...statements);
  }

  function cli(args: string[], user = 'postgres'): Promise<CommandResult> {
    return runCommand(args, {
      GOVERNANCE_DATA_DIR: folder,
      GOVERNANCE_KEYS: KEYS,
      DATABASE_URL: as('worker'),
      GOVERNANCE_MIGRATION_URL: as(user),
    });
  }

  async function install(user = 'postgres'): Promise<void> {
    expect(await cli(['migrate'], user)).toMatchObject({ code: 0, stderr: '' });
  }

  async function dropRoles(): Promise<void> {
    for (const role of ROLES) await asAdmin(`drop role if exists ${role}`);
  }

  it.each(['postgres', 'migrator'])(
    'restores the catalog as it was before the installation if %s runs it',
    async user => {
      const before = await readCatalog(url);
      await install(user);
      const installed = await readCatalog(url);
      expect(installed).not.toEqual(before);
      expect(installed['memberships']?.join()).toContain('"member":"worker"');

      const result = await cli(['uninstall', '--yes'], user);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      expect(withoutNumbers(result.stdout)).toBe(onPage('plan') + onPage('done'));
      expect(await readCatalog(url)).toEqual(before);
      expect(await cli(['uninstall', '--yes'], user)).toMatchObject({
        code: 0,
        stdout: 'Nothing of nest-llm-governance is in this database.\n',
      });
    },
  );

  it('lists what it would remove, and removes nothing, without --yes or with --dry-run', async () => {
    await install();
    const installed = await readCatalog(url);
    const shown = await cli(['uninstall', '--dry-run', '--yes']);
    expect({ ...shown, stdout: withoutNumbers(shown.stdout) }).toEqual({ code: 0, stdout: onPage('plan'), stderr: '' });
    expect(await cli(['uninstall'])).toEqual({
      code: 1,
      stdout: `${shown.stdout}Nothing was removed. Run it again with --yes to remove all of this.\n`,
      stderr: '',
    });
    expect(JSON.parse((await cli(['uninstall', '--dry-run', '--json'])).stdout)).toMatchObject({
      found: { schema: { name: 'governance', droppable: true }, connections: [] },
      removed: [],
    });
    expect(await readCatalog(url)).toEqual(installed);
    await cli(['uninstall', '--yes']);
  });

  it('refuses while a replica is connected, and removes everything with --force', async () => {
    await install();
    const replica = new pg.Client({ connectionString: as('worker'), application_name: 'nest-llm-governance' });
    await replica.connect();
    try {
      await replica.query('set role governance_app');
      const installed = await readCatalog(url);
      const [{ pid } = {}] = (await replica.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
      expect((await cli(['uninstall', '--dry-run'])).stdout).toMatch(
        new RegExp(`^connection ${pid}: worker from \\S+ since \\d{4}-`, 'm'),
      );
      expect(await cli(['uninstall', '--yes'])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('1 connections of nest-llm-governance are open. Stop every replica first'),
      });
      expect(await readCatalog(url)).toEqual(installed);
      expect(await cli(['uninstall', '--yes', '--force'])).toMatchObject({ code: 0 });
      expect(await asAdmin(`select from pg_roles where rolname like 'governance%'`)).toEqual([]);
    } finally {
      await replica.end();
    }
  });

  it('removes the schema and names what an administrator must drop if the role may not drop roles', async () => {
    const before = await readCatalog(url);
    const grant = `grant governance_app, governance_lookup to plain_owner with inherit false, set true`;
    await asAdmin(...ROLES.map(role => `create role ${role} nologin`), grant, `grant governance_app to worker`);
    await install('plain_owner');

    const { code, stdout } = await cli(['uninstall', '--yes'], 'plain_owner');
    expect(code).toBe(1);
    expect(stdout).toContain(onPage('rest'));
    const statements = [...stdout.matchAll(/As an administrator: (.+;)$/gm)].map(([, sql = '']) => sql);
    expect(statements).toEqual(ROLES.map(role => `DROP ROLE "${role}";`));
    expect(await query(url, `select from pg_namespace where nspname = 'governance'`)).toEqual([]);
    await query(url, ...statements);
    expect(await readCatalog(url)).toEqual(before);
  });

  it('keeps the roles if another database of the server uses them, and names this database', async () => {
    await install();
    const other = url;
    url = await newDatabase();
    await install();
    const { code, stdout } = await cli(['uninstall', '--yes']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('removed schema governance\n') });
    const name = new URL(other).pathname.slice(1);
    expect(stdout).toContain(`kept role governance_app. Other databases of this server use it: ${name}.\n`);
    url = other;
    expect(await cli(['uninstall', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('removed role'),
    });
  });

  it('keeps a role and names the object if the host gave the role rights on its own tables', async () => {
    await install();
    await query(url, 'create table orders ()', 'grant select on orders to governance_app');
    const { code, stdout } = await cli(['uninstall', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/kept role governance_app\. .*privileges for table orders/);
    await query(url, 'revoke all on orders from governance_app');
    await dropRoles();
  });

  it('removes nothing if the role does not own the schema, and says who must run it', async () => {
    await install('postgres');
    const installed = await readCatalog(url);
    expect(await cli(['uninstall', '--yes'], 'plain_owner')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Connect as postgres, or run as an administrator: DROP SCHEMA governance CASCADE;',
      ),
    });
    expect(await readCatalog(url)).toEqual(installed);
  });
});
