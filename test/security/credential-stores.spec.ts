import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PersonalCredentials, type Leaver } from '#access';
import { enroll, newUser } from '../e2e/devices/devices.support.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

describe('a custom store of credentials', () => {
  let app: TestApp;
  const asked: Leaver[] = [];
  let failure: Error | undefined;

  beforeAll(async () => {
    app = await startTestApp();
    app.app.get(PersonalCredentials).add({
      async revokeAllOf(_em, leaver) {
        if (failure) throw failure;
        asked.push(leaver);
        const resource = { resourceType: 'session', resourceId: leaver.userId };
        return [{ action: 'session.revoked', ...resource, before: null, after: null }];
      },
    });
  });

  afterAll(() => app?.close());

  it('revokes its credentials together with the others, with an audit entry', async () => {
    const id = await newUser(app.call);
    await app.call('POST', `/v1/users/${id}/offboard`);
    expect(asked).toEqual([{ orgId: app.orgId, userId: id, now: app.clock.now(), endsMachineTokens: false }]);
    const { items } = (await app.call('GET', '/v1/audit-log?limit=1')).body;
    expect(items).toMatchObject([{ action: 'session.revoked', resource_id: id }]);
  });

  it('undoes the offboarding if it cannot revoke its credentials', async () => {
    const id = await newUser(app.call);
    const { token } = await app.addToken('member', id);
    failure = new Error('the sessions cannot be reached');
    expect((await app.call('POST', `/v1/users/${id}/offboard`)).status).toBe(500);
    failure = undefined;
    expect((await app.call('GET', `/v1/users/${id}`)).body.status).toBe('active');
    expect((await app.as(token)('GET', `/v1/users/${id}`)).status).toBe(200);
  });
});

describe('devices of a person who leaves', () => {
  it.each([
    [false, 'active'],
    [true, 'revoked'],
  ])('with devices.revokeOnDeparture %s are %s', async (revokeOnDeparture, status) => {
    const app = await startTestApp({ devices: { revokeOnDeparture } });
    try {
      const id = await newUser(app.call);
      const { device } = (await enroll(app, id)).body;
      await app.call('POST', `/v1/users/${id}/offboard`);
      await app.call('POST', `/v1/users/${id}/reinstate`);
      expect((await app.call('GET', `/v1/devices/${device.id}`)).body.status).toBe(status);
      const told = await app.database.asOwner(`select 1 from governance.events where type = 'device_revoked'`);
      expect(told).toHaveLength(revokeOnDeparture ? 1 : 0);
    } finally {
      await app.close();
    }
  });
});
