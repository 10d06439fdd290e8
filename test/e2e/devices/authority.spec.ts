import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { newToken, newUser } from './devices.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

const authoritiesOf = (orgId: string) =>
  app.database.asOwner('select id from governance.device_authorities where org_id = $1', [orgId]);
const FILES = ['/v1/devices/ca', '/v1/devices/crl'];

describe('the certificate authority of an organization', () => {
  it.each(FILES)('%s answers 404 with the remedy and creates nothing if there is no authority yet', async path => {
    const { orgId, call } = await app.addOrganization();
    const { status, body } = await call('GET', path);
    expect([status, body.error]).toEqual([404, 'not_found']);
    expect(body.message).toContain('POST /v1/devices/enrollments');
    expect(await authoritiesOf(orgId)).toEqual([]);
    expect((await call('GET', '/v1/audit-log?resource_type=device_authority')).body.items).toEqual([]);
  });

  it('is created by the first enrollment and readable before a device has used it', async () => {
    const { orgId, call } = await app.addOrganization();
    await enrollment(call);
    await enrollment(call);
    expect(await authoritiesOf(orgId)).toHaveLength(1);
    for (const path of FILES) {
      const { status, text } = await call('GET', path);
      expect([status, text]).toEqual([200, expect.stringContaining('-----BEGIN ')]);
    }
    const { items } = (await call('GET', '/v1/audit-log?resource_type=device_authority')).body;
    expect(items).toHaveLength(1);
  });

  it('is created once by two concurrent first enrollments', async () => {
    const { orgId, call } = await app.addOrganization();
    const user = await newUser(call);
    await Promise.all([newToken(call, user), newToken(call, user), newToken(call, user)]);
    expect(await authoritiesOf(orgId)).toHaveLength(1);
  });
});

async function enrollment(call: Call): Promise<void> {
  await newToken(call, await newUser(call));
}
