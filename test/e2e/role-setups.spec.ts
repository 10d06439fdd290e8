import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { makeDataFolder } from '../support/data-folder.js';
import { startEmbeddedPostgres } from '../../apps/standalone/embedded-postgres.js';
import { blocksOf } from '../docs/markdown.js';
import { HAS_POSTGRES_15, startPostgres15 } from '../support/debian-postgres.js';
import { describeWhere } from '../support/describe-where.js';
import { runCommand, startInProcess } from '../support/bundled-app.js';

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`;
const TOKEN = 'e'.repeat(40);
const SPLIT = ' WITH INHERIT FALSE, SET TRUE';

interface Server {
  url: string;
  stop(): Promise<void>;
}

const SERVERS: [string, boolean, () => Promise<Server>][] = [
  [
    '18',
    true,
    async () => {
      const folder = makeDataFolder('governance-roles');
      const server = await startEmbeddedPostgres(folder, { durable: false });
      const stop = async (): Promise<void> => {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      };
      return { url: server.url, stop };
    },
  ],
  ['15', HAS_POSTGRES_15, startPostgres15],
];

for (const [version, isThere, start] of SERVERS) {
  describeWhere(!isThere && `no PostgreSQL ${version}`, `roles on PostgreSQL ${version}`, () => {
    let server: Server;

    beforeAll(async () => {
      server = await start();
    });

    afterAll(() => server?.stop());

    function urlOf(database: string, role?: string): string {
      const url = new URL(server.url);
      url.pathname = `/${database}`;
      if (role !== undefined) [url.username, url.password] = [role, 'secret'];
      return url.href;
    }

    async function asAdministrator(database: string, sql: string): Promise<void> {
      const client = new pg.Client({ connectionString: urlOf(database) });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    }

    async function expectWorks(login: string, owner: string, database: string): Promise<void> {
      const urls = { DATABASE_URL: urlOf(database, login), GOVERNANCE_KEYS: KEYS };
      const both = { ...urls, GOVERNANCE_MIGRATION_URL: urlOf(database, owner) };
      expect(await runCommand(['migrate'], both)).toMatchObject({ code: 0, stderr: '' });
      for (const env of [both, { ...urls, GOVERNANCE_MIGRATIONS: 'check' }]) {
        const app = await startInProcess({ ...env, GOVERNANCE_ADMIN_TOKEN: TOKEN });
        const answer = await fetch(`${app.url}/v1/policies`, { headers: { authorization: `Bearer ${TOKEN}` } });
        expect(answer.status).toBe(200);
        await app.stop(0);
      }
      const doctor = await runCommand(['doctor'], both);
      expect(doctor.stdout).toMatch(new RegExp(`^ok {4}role of the login: ${login}$`, 'm'));
      expect(doctor.stdout).toMatch(new RegExp(`^ok {4}role of the migrations: ${owner}$`, 'm'));
    }

    it("are reported as missing on a new server, with doctor's statements that create them", async () => {
      await asAdministrator('postgres', `create role early login password 'secret'`);
      const url = urlOf('postgres', 'early');
      const env = { DATABASE_URL: url, GOVERNANCE_MIGRATION_URL: url, GOVERNANCE_KEYS: KEYS };
      const { code, stdout } = await runCommand(['doctor'], env);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^FAIL {2}role of the migrations: early may not create in the database postgres,/m);
      const [, statements = 'no statements'] = /As an administrator: (CREATE ROLE .*)/.exec(stdout) ?? [];
      await asAdministrator('postgres', `begin; ${statements} rollback`);
      expect(statements).toContain(`GRANT governance_app TO "early"${version === '15' ? '' : SPLIT};`);
      expect(statements).toContain('GRANT CREATE ON DATABASE "postgres" TO "early";');
    });

    it('are sufficient for the app and its migrations if created as the guide says', async () => {
      const block = blocksOf('docs/operate.md').find(
        ({ language, marks }) => language === 'sql' && marks[0] === (version === '15' ? 'roles-15' : 'roles'),
      );
      const prepared = (block?.code ?? 'the guide has no such block').replaceAll("'…'", "'secret'");
      await asAdministrator('postgres', 'create database governance');
      await asAdministrator('postgres', prepared);
      await expectWorks('governance_login', 'governance_owner', 'governance');
    });

    it('are sufficient if created by doctor --print-grants, which can be run again', async () => {
      await asAdministrator('postgres', `create role "O'Brien" login password 'secret'`);
      await asAdministrator('postgres', `create role worker login noinherit password 'secret'`);
      await asAdministrator('postgres', 'create database other');
      const env = { DATABASE_URL: urlOf('other', 'worker'), GOVERNANCE_MIGRATION_URL: urlOf('other', "O'Brien") };
      const printed = await runCommand(['doctor', '--print-grants'], { ...env, GOVERNANCE_KEYS: KEYS });
      expect(printed.code).toBe(0);
      expect(printed.stdout.includes(SPLIT)).toBe(version !== '15');
      await asAdministrator('postgres', printed.stdout);
      await asAdministrator('postgres', printed.stdout);
      await expectWorks('worker', "O'Brien", 'other');
    });
  });
}
