import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorActor } from '#access';
import { UserDirectory } from '#core';
import { UserImporter, UserService } from '#users';
import { explaining, nodesOf, rowsRead, type Explained } from '../support/explained.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

// The sizes below are those of each organization. With several organizations, none has most of the table, for which a
// sequential scan would be right.
const ORGANIZATIONS = 5;
const PEOPLE = 4_000;

describe('the plans of hot statements at 20,000 users', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
    const others = await Promise.all(Array.from({ length: ORGANIZATIONS - 1 }, () => app.addOrganization()));
    for (const orgId of [app.orgId, ...others.map(other => other.orgId)]) {
      await app.database.asOwner(
        `insert into governance.users (org_id, id, email, email_key, name, department, role, status, suspension_causes,
           suspended_at, departure_date, departs_at, created_at, updated_at, change_version)
         select $1, gen_random_uuid(), 'u' || n || '@example.com', 'u' || n || '@example.com', 'User ' || md5(n::text),
           'Department ' || n % 20, 'member', case when n % 50 = 0 then 'suspended' else 'active' end,
           case when n % 50 = 0 then array['offboarding'] else '{}' end, case when n % 50 = 0 then now() end,
           case when n % 400 = 1 then '2027-01-01' end, case when n % 400 = 1 then timestamptz '2027-01-01' end,
           now(), now(), n from generate_series(1, $2::integer) n`,
        [orgId, PEOPLE],
      );
      await app.database.asOwner(
        `insert into governance.change_marks (org_id, topic, version) values ($1, 'users', $2)`,
        [orgId, PEOPLE],
      );
    }
    await app.database.asOwner('vacuum analyze governance.users');
  });

  afterAll(() => app?.close());

  const scansOf = (statements: readonly Explained[]): string[] =>
    statements.flatMap(({ sql, plan }) =>
      nodesOf(plan)
        .filter(node => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === 'users')
        .map(() => sql.trim().slice(0, 300)),
    );

  async function expectNoScan(work: () => Promise<unknown>): Promise<void> {
    const statements = await explaining(app, work);
    expect(statements.filter(({ sql }) => sql.includes('governance.users'))).not.toEqual([]);
    expect(scansOf(statements)).toEqual([]);
  }

  it.each([
    '',
    '&status=active',
    '&status=suspended',
    '&department=Department%207',
    '&department=Department%2010&status=suspended',
  ])('scan no table for the first page of the list with its count, and for a deep page %s', async filter => {
    await expectNoScan(async () => {
      const path = `/v1/users?limit=25${filter}`;
      const { status, body } = await app.call('GET', path);
      expect(status).toBe(200);
      expect(body.items.length).toBeGreaterThan(0);
      if (body.has_more) {
        const next = await app.call('GET', `${path}&cursor=${encodeURIComponent(body.next_cursor)}`);
        expect(next.status).toBe(200);
      }
    });
  });

  it('read a page from an index in its order, without sorting', async () => {
    const statements = await explaining(app, () => app.call('GET', '/v1/users?limit=25&status=active'));
    const page = statements.find(({ sql }) => sql.includes('order by u.name'));
    const nodes = nodesOf(page!.plan).map(node => node['Node Type']);
    expect(nodes).toContain('Index Scan');
    expect(nodes).not.toContain('Sort');
  });

  it('scan no table to read all users into memory, or the changes since', async () => {
    const [anybody] = await app.database.asOwner<{ id: string }>(
      `select id from governance.users where org_id = $1 and status = 'active' limit 1`,
      [app.orgId],
    );
    await expectNoScan(async () => {
      const directory = app.app.get(UserDirectory, { strict: false });
      await directory.find(app.orgId, []);
      await app.app.get(UserService).update(operatorActor(app.orgId), anybody!.id, { name: 'Changed' });
      expect((await directory.find(app.orgId, [{ user_id: anybody!.id }]))[0]?.name).toBe('Changed');
    });
  });

  it('scan no table when an import searches users by their addresses', async () => {
    const text = `email,name\n${Array.from({ length: 1_000 }, (_, n) => `u${n * 3}@example.com,User\n`).join('')}`;
    await expectNoScan(async () => {
      const result = await app.app.get(UserImporter).import(operatorActor(app.orgId), { source: [text] });
      expect(result).toMatchObject({ created: 1, updated: 999 });
    });
  });

  it('search by the index of addresses in imports, also before PostgreSQL has statistics of the number of users', async () => {
    await app.database.asOwner(`delete from pg_statistic where starelid = 'governance.users'::regclass`);
    await app.database.asOwner(`update pg_class set reltuples = -1 where oid = 'governance.users'::regclass`);
    const emails = Array.from({ length: 999 }, (_, n) => `u${n + 1}@example.com`);
    const source = [`email,name\n${emails.map(email => `${email},Another\n`).join('')}`];
    const users = app.app.get(UserService);
    const statements = await explaining(
      app,
      async () => {
        await app.app.get(UserImporter).import(operatorActor(app.orgId), { source, dryRun: true });
        await users.ensureMany(
          operatorActor(app.orgId),
          emails.map(email => ({ email })),
        );
      },
      { analyze: true },
    );
    const read = statements.filter(({ sql }) => sql.includes('email_key')).map(({ plan }) => rowsRead(plan));
    // The rows are read three times, because the importer measures the users' data before it reads them.
    expect(read).toEqual([999, 999, 999]);
  });
});
