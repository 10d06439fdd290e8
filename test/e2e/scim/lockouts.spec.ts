import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { expectOk, identityProvider, newUser, patch } from './scim.support.js';

let app: TestApp;
let scim: Call;

beforeAll(async () => {
  app = await startTestApp();
  scim = await identityProvider(app);
});

afterAll(() => app?.close());

const lockouts = async (userId: string) => {
  const rows = await app.database.asOwner<{ data: { user_id: string; reason: string } }>(
    `select convert_from(body, 'UTF8')::json->'data' as data from governance.events where type = 'user_locked_out'`,
  );
  return rows.map(({ data }) => data).filter(data => data.user_id === userId);
};
const setActive = (id: string, value: boolean) =>
  expectOk(scim('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value })));

describe('user_locked_out', () => {
  it('is fired when the identity provider takes access away, once however often it says so', async () => {
    const { id } = await newUser(scim, 'leaver@example.com');
    await setActive(id, false);
    await setActive(id, false);
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await lockouts(id)).toEqual([expect.objectContaining({ reason: 'deprovisioned' })]);
  });

  it('is fired when the identity provider removes somebody, and not again for who was offboarded before', async () => {
    const removed = await newUser(scim, 'removed@example.com');
    await expectOk(scim('DELETE', `/Users/${removed.id}`));
    expect(await lockouts(removed.id)).toHaveLength(1);
    const offboarded = await newUser(scim, 'offboarded@example.com');
    await app.call('POST', `/v1/users/${offboarded.id}/offboard`);
    await setActive(offboarded.id, false);
    expect(await lockouts(offboarded.id)).toEqual([expect.objectContaining({ reason: 'offboarded' })]);
  });

  it('is not fired for somebody who was inactive and had no access to lose', async () => {
    const person = { email: 'inactive@example.com', name: 'Inactive', status: 'inactive' };
    const { id } = (await expectOk(app.call('POST', '/v1/users', person))).body;
    await setActive(id, false);
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await lockouts(id)).toEqual([]);
  });
});
