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
  it('is fired when the identity provider removes access, once for repeated requests', async () => {
    const { id } = await newUser(scim, 'leaver@example.com');
    await setActive(id, false);
    await setActive(id, false);
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await lockouts(id)).toEqual([expect.objectContaining({ reason: 'deprovisioned' })]);
  });

  it('is fired when the identity provider removes a user, and not again for a user who was offboarded before', async () => {
    const removed = await newUser(scim, 'removed@example.com');
    await expectOk(scim('DELETE', `/Users/${removed.id}`));
    expect(await lockouts(removed.id)).toHaveLength(1);
    const offboarded = await newUser(scim, 'offboarded@example.com');
    await app.call('POST', `/v1/users/${offboarded.id}/offboard`);
    await setActive(offboarded.id, false);
    expect(await lockouts(offboarded.id)).toEqual([expect.objectContaining({ reason: 'offboarded' })]);
  });

  it('is not fired for an inactive user without access', async () => {
    const person = { email: 'inactive@example.com', name: 'Inactive', status: 'inactive' };
    const { id } = (await expectOk(app.call('POST', '/v1/users', person))).body;
    await setActive(id, false);
    await expectOk(scim('DELETE', `/Users/${id}`));
    expect(await lockouts(id)).toEqual([]);
  });
});

describe('a lockout by the identity provider', () => {
  /** A second, plus extra time for a busy machine. Without the feature, the change would never arrive. */
  const WITHIN_MS = 9_000;
  let deaf: TestApp;

  beforeAll(async () => {
    const { database: testDatabase, orgId, clock: time } = app;
    deaf = await startTestApp({ testDatabase, orgId, time, database: { url: '', changes: { listen: false } } });
  });

  afterAll(() => deaf?.close());

  it('is in effect within a second on a replica without notifications', async () => {
    const { id } = await newUser(scim, 'elsewhere@example.com');
    const request = { user_id: id, provider: 'openai', model: 'gpt-4o' };
    const ask = async (): Promise<string> =>
      (await deaf.as(app.adminToken)('POST', '/v1/decisions', request)).body.reason;
    const becomes = async (reason: string): Promise<number> => {
      const begun = performance.now();
      while ((await ask()) !== reason && performance.now() - begun < 10_000) {
        await new Promise(done => setTimeout(done, 5));
      }
      return performance.now() - begun;
    };
    for (const [active, reason] of [
      [true, 'no_policy_matched'],
      [false, 'user_suspended'],
      [true, 'no_policy_matched'],
    ] as const) {
      await setActive(id, active);
      expect(await becomes(reason)).toBeLessThan(reason === 'user_suspended' ? WITHIN_MS : 10_000);
    }
  });
});
