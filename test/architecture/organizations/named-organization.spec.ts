import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fillEveryTable } from '../../support/fill-every-table.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { LOOPBACK_ALLOWED } from '../../support/webhooks.js';
import { readTables } from './organization-keys.js';
import { recordStatements, unnamedOrganization } from './sent-statements.js';

/** Lists and reports that the test reads once, after it has filled every table. */
const READ = [
  ...['/v1/users', '/v1/policies', '/v1/decisions', '/v1/approvals', '/v1/budgets', '/v1/limits', '/v1/webhooks'],
  ...['/v1/incidents', '/v1/tokens', '/v1/devices', '/v1/itsm/connectors', '/v1/itsm/tickets', '/v1/audit-log'],
  ...[
    '/v1/usage',
    '/v1/usage/breakdown?group_by=model',
    '/v1/usage/series?metric=requests',
    '/v1/anomalies',
    '/v1/overview',
  ],
  ...['/v1/search?q=watch', '/v1/sessions', '/v1/me', '/scim/v2/Users', '/scim/v2/Groups', '/v1/prices'],
];

describe('statements of the app', () => {
  let app: TestApp;
  let statements: ReturnType<typeof recordStatements>;
  let tables: ReadonlyMap<string, string>;
  const statuses: Record<string, number> = {};

  beforeAll(async () => {
    app = await startTestApp(LOOPBACK_ALLOWED);
    statements = recordStatements();
    await fillEveryTable(app, app.orgId, app.call);
    for (const path of READ) statuses[path] = (await app.call('GET', path)).status;
    tables = await readTables(app.database);
  });

  afterAll(async () => {
    statements?.stop();
    await app?.close();
  });

  it('contain org_id wherever they read or change a table with rows of organizations', () => {
    expect(Object.entries(statuses).filter(([, status]) => status !== 200)).toEqual([]);
    expect(statements.texts().size).toBeGreaterThan(200);
    expect(unnamedOrganization(statements.texts(), tables)).toEqual([]);
  });

  it('are reported if they do not contain org_id', () => {
    const planted = [
      'select id from governance.users where email = $1',
      `update "governance"."tickets" set "status" = 'org_id = 1' where "id" = $1`,
      'insert into governance.events (id) values ($1)',
      'select 1 from governance.organizations where name = $1',
    ];
    const sound = [
      'select id from governance.users u where u.org_id = $1 and email = $2',
      'select version from governance.key_checks where key_id = $1',
      `select pg_advisory_xact_lock(hashtext('governance.limits'))`,
      'delete from governance.tasks t where (t.org_id, t.id) in (select * from unnest($1::uuid[], $2::uuid[]))',
    ];
    expect(unnamedOrganization([...planted, ...sound], tables)).toEqual(planted.toSorted());
  });
});
