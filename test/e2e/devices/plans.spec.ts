import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { explaining, nodesOf, type Explained } from '../../support/explained.js';
import { startTestApp, type TestApp } from '../../support/test-app.js';
import { enroll, newUser } from './devices.support.js';

const DEVICES = 5_000;
const LARGE = /^device(s|_certificates|_enrollments)$/;

let app: TestApp;
let user: string;
/** A normally enrolled device, among all the others. */
let device: string;

beforeAll(async () => {
  app = await startTestApp();
  user = await newUser(app.call);
  device = (await enroll(app, user)).body.device.id;
  const other = await app.addOrganization();
  for (const orgId of [app.orgId, other.orgId]) await fill(orgId);
  await app.database.asOwner('analyze');
});

afterAll(() => app?.close());

/** Devices of a thousand users; one of fifty is revoked. */
async function fill(orgId: string): Promise<void> {
  const [authority] = await app.database.asOwner<{ id: string }>(
    'select id from governance.device_authorities limit 1',
  );
  const from = `from generate_series(1, ${DEVICES}) n`;
  const id = `md5('${orgId} device ' || n)::uuid`;
  const revoked = `case when n % 50 = 0 then now() end, case when n % 50 = 0 then 'unspecified' end`;
  for (const statement of [
    `insert into governance.devices (org_id, id, user_id, name, certificate_serial, fingerprint_sha256,
       certificate_expires_at, created_at, updated_at, change_version, revoked_at, crl_reason)
     select '${orgId}', ${id}, md5('user ' || n % 1000)::uuid, 'Laptop', to_hex(n), 'f',
       timestamptz '2027-11-20', now(), now(), 0, ${revoked} ${from}`,
    `insert into governance.device_certificates (org_id, serial, device_id, authority_id, certificate, spki,
       key_fingerprint, not_before, not_after, revoked_at, crl_reason)
     select '${orgId}', to_hex(n), ${id}, '${authority?.id}', '', '', sha256(n::text::bytea), now(),
       timestamptz '2027-11-20', ${revoked} ${from}`,
    `insert into governance.device_enrollments (org_id, id, user_id, name, token_hash, created_at, expires_at)
     select '${orgId}', ${id}, ${id}, 'Laptop', sha256(('${orgId} ' || n)::bytea), now(), now() ${from}`,
  ]) {
    await app.database.asOwner(statement);
  }
}

/** Statements with a sequential scan of a large table. */
function scansOf(explained: readonly Explained[]): string[] {
  return explained.flatMap(({ sql, plan }) =>
    nodesOf(plan)
      .filter(node => node['Node Type'] === 'Seq Scan' && LARGE.test(node['Relation Name'] ?? ''))
      .map(node => `${node['Relation Name']}: ${sql}`),
  );
}

describe('the plans of statements about devices', () => {
  it('scan no large table sequentially for a page, whatever the filter', async () => {
    const explained = await explaining(app, async () => {
      for (const query of ['', `user_id=${user}`, 'status=revoked', 'status=active', 'status=expired']) {
        const first = await app.call('GET', `/v1/devices?limit=5&${query}`);
        expect(first.status).toBe(200);
        const { next_cursor: cursor } = first.body;
        if (cursor) await app.call('GET', `/v1/devices?limit=5&${query}&cursor=${encodeURIComponent(cursor)}`);
      }
    });
    // Leaves out the statements that count. If most devices match a filter, counting reads most of them, once per list.
    const pages = explained.filter(({ sql }) => sql.includes('order by'));
    expect(pages.length).toBeGreaterThanOrEqual(8);
    expect(scansOf(pages)).toEqual([]);
  });

  it('scan no large table sequentially to enroll, revoke, poll and list revocations', async () => {
    const request = { user_id: user, provider: 'p', model: 'm', device_id: device };
    await app.call('POST', '/v1/decisions', request);
    const explained = await explaining(app, async () => {
      expect((await enroll(app, user)).status).toBe(201);
      expect((await app.call('POST', `/v1/devices/${device}/revoke`)).status).toBe(200);
      expect((await app.call('GET', '/v1/devices/crl')).status).toBe(200);
    });
    expect((await app.call('POST', '/v1/decisions', request)).status).toBe(200);
    const about = explained.filter(({ sql }) => /governance\.device/.test(sql));
    expect(about.length).toBeGreaterThanOrEqual(4);
    expect(scansOf(about)).toEqual([]);
  });

  it.each([
    ['device_enrollment_of', '= hash', `= '\\x00'`],
    ['device_org', '= wanted', `= '00000000-0000-4000-8000-000000000000'`],
  ])('find the organization by an index: %s', async (name, parameter, value) => {
    const [found] = await app.database.asOwner<{ sql: string }>(
      'select prosrc as sql from pg_proc where proname = $1',
      [name],
    );
    const sql = found?.sql.replace(parameter, value) ?? '';
    const rows = await app.database.asOwner<{ 'QUERY PLAN': string }>(`explain ${sql}`);
    expect(rows.map(row => row['QUERY PLAN']).join('\n')).toMatch(/Index .*Scan using device\w+_by_/);
  });
});
