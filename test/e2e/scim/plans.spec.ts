import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explaining, nodesOf, rowsRead, type Explained } from '../../support/explained.js';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { GROUP, identityProvider, newGroup, patch, USER } from './scim.support.js';

const USERS = 8_000;
const ORGANIZATIONS = 4;

let app: TestApp;
let scim: Call;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
  const others = await Promise.all(Array.from({ length: ORGANIZATIONS - 1 }, () => app.addOrganization()));
  for (const orgId of [app.orgId, ...others.map(other => other.orgId)]) await fill(orgId);
  await newGroup(scim, 'Somebody', [await idOf('u1@people.example')]);
  await app.database.asOwner('vacuum analyze');
});

afterAll(() => app?.close());

/**
 * Users of an organization. An identity provider has provisioned half of them. These users have two addresses, and some
 * are removed.
 */
async function fill(orgId: string): Promise<void> {
  await app.database.asOwner(
    `insert into governance.users (org_id, id, email, email_key, name, created_at, updated_at, change_version)
     select '${orgId}', md5('${orgId}' || n)::uuid, 'u' || n || '@people.example', 'u' || n || '@people.example',
       'User ' || n, now(), now(), 0 from generate_series(1, ${USERS}) n`,
  );
  await app.database.asOwner(
    `insert into governance.scim_users
       (org_id, user_id, user_name, user_name_key, external_id, other_email_keys, profile, deleted_at)
     select '${orgId}', md5('${orgId}' || n)::uuid, 'Name ' || n, 'name ' || n, 'ext-' || n,
       array['other' || n || '@people.example'], format('{"title": "T", "emails": [{"value": "u%s@people.example"},
         {"value": "other%s@people.example"}]}', n, n)::jsonb, case when n % 400 = 0 then now() end
     from generate_series(2, ${USERS}, 2) n`,
  );
  await app.database.asOwner(
    `insert into governance.scim_groups (org_id, id, display_name, display_name_key, version, created_at, updated_at)
     select '${orgId}', md5('group' || n)::uuid, 'Group ' || n, 'group ' || n, 0, now(), now()
     from generate_series(1, 2000) n`,
  );
  await app.database.asOwner(
    `insert into governance.scim_group_members (org_id, group_id, user_id)
     select '${orgId}', md5('group' || (1 + n % 2000))::uuid, md5('${orgId}' || n)::uuid
     from generate_series(1, ${USERS}) n`,
  );
}

const found = (filter: string, kind = 'Users') => scim('GET', `/${kind}?filter=${encodeURIComponent(filter)}`);
const idOf = async (userName: string): Promise<string> =>
  (await found(`userName eq "${userName}"`)).body.Resources[0].id;

/** Statements with a sequential scan of one of the tables. */
function endToEnd(statements: readonly Explained[]): string[] {
  const large = new Set(['users', 'scim_users', 'scim_groups', 'scim_group_members']);
  return statements.flatMap(({ sql, plan }) =>
    nodesOf(plan)
      .filter(node => node['Node Type'].includes('Seq Scan') && large.has(node['Relation Name'] ?? ''))
      .map(node => `${node['Relation Name']}: ${sql}`),
  );
}

const totalOf = async (filter: string): Promise<number> => (await found(filter)).body.totalResults;
const rowsOf = (statements: readonly Explained[]): number =>
  statements.reduce((sum, { plan }) => sum + rowsRead(plan), 0);

describe('with thousands of users', () => {
  it.each([
    ['userName eq "name 2000"', 'Users'],
    ['userName eq "u2001@people.example"', 'Users'],
    ['externalId eq "ext-2000"', 'Users'],
    ['emails.value eq "u2001@people.example"', 'Users'],
    ['emails[type eq "work"].value eq "u2001@people.example"', 'Users'],
    ['emails.value eq "other2002@people.example"', 'Users'],
    ['active eq true and userName eq "name 2000"', 'Users'],
    ['displayName eq "group 7"', 'Groups'],
    ['externalId eq "none"', 'Groups'],
  ])('%s of %s is found by an index', async (filter, kind) => {
    const statements = await explaining(app, () => found(filter, kind));
    expect(statements.length).toBeGreaterThan(0);
    expect(endToEnd(statements)).toEqual([]);
  });

  it.each(['userName eq "name 2002"', 'emails.value eq "other2002@people.example"', 'externalId eq "ext-2002"'])(
    'a search that an index answers reads only the found user by %s',
    async filter => {
      const statements = await explaining(app, async () => expect(await totalOf(filter)).toBe(1), { analyze: true });
      // The limit is above 1, because scheduled jobs may read a few rows meanwhile. A scan of all users would read
      // thousands.
      expect(rowsOf(statements)).toBeLessThan(100);
    },
  );

  it('any page is read without the pages before it, and its total without counting', async () => {
    const page = (startIndex: number) => scim('GET', `/Users?startIndex=${startIndex}&count=10`);
    const { totalResults } = (await page(1)).body;
    expect(totalResults).toBe(USERS - USERS / 400);
    // The first request for a page deep in the list computes its position.
    const [first] = (await page(totalResults - 500)).body.Resources;
    // Changes of a user do not change positions.
    await scim('PATCH', `/Users/${first.id}`, patch({ op: 'replace', path: 'title', value: 'Another' }));
    const statements = await explaining(
      app,
      async () => {
        const ids = [];
        for (const startIndex of [1, 4_000, totalResults - 9]) {
          const { body } = await page(startIndex);
          expect(body).toMatchObject({ totalResults, startIndex, itemsPerPage: 10 });
          ids.push(...body.Resources.map(({ id }: { id: string }) => id));
        }
        expect(new Set(ids).size).toBe(30);
      },
      { analyze: true },
    );
    expect(rowsOf(statements)).toBeLessThan(1_500);
  });

  it('a user is created, changed, added to a group and removed by indexes only', async () => {
    const id = await idOf('name 2002');
    const group = (await found('displayName eq "Somebody"', 'Groups')).body.Resources[0].id;
    const statements = await explaining(app, async () => {
      await scim('POST', '/Users', { schemas: [USER], userName: 'new', emails: [{ value: 'new@people.example' }] });
      await scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'userName', value: 'renamed' }));
      await scim('PATCH', `/Groups/${group}`, patch({ op: 'add', path: 'members', value: [{ value: id }] }));
      await scim('PUT', `/Groups/${group}`, { schemas: [GROUP], displayName: 'Renamed', members: [{ value: id }] });
      await scim('GET', `/Users/${id}`);
      await scim('DELETE', `/Users/${id}`);
    });
    expect(statements.length).toBeGreaterThan(10);
    expect(endToEnd(statements)).toEqual([]);
    expect((await scim('GET', `/Users/${id}`)).status).toBe(404);
  });
});
