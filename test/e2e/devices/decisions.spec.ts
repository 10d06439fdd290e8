import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceDirectory } from '#core';
import { startTestApp, type Call, type TestApp } from '../../support/test-app.js';
import { enroll, newUser } from './devices.support.js';

const DAY_MS = 24 * 60 * 60 * 1000;

let app: TestApp;
let user: string;

beforeAll(async () => {
  app = await startTestApp();
  user = await newUser(app.call);
  const only = (status: string) => ({ device_status: { eq: status } });
  for (const status of ['active', 'expired', 'revoked', 'unknown']) {
    await app.call('POST', '/v1/policies', { name: status, action: 'alert', conditions: only(status) });
  }
  const without = { device_status: { exists: false } };
  await app.call('POST', '/v1/policies', { name: 'no device', action: 'alert', conditions: without });
});

afterAll(() => app.close());

/** Names of the policies that match a request. Each device status has one policy. */
async function matched(call: Call, request: object): Promise<string[]> {
  const { body } = await call('POST', '/v1/decisions', { user_id: user, provider: 'p', model: 'm', ...request });
  return body.policies.map(({ name }: { name: string }) => name);
}

describe('device_status in conditions', () => {
  it('is missing if the request names no device', async () => {
    expect(await matched(app.call, {})).toEqual(['no device']);
  });

  it("is the status of this user's device", async () => {
    const { device } = (await enroll(app, user)).body;
    expect(await matched(app.call, { device_id: device.id })).toEqual(['active']);
    expect(await matched(app.call, { device_id: device.id.toUpperCase() })).toEqual(['active']);
    await app.call('POST', `/v1/devices/${device.id}/revoke`);
    expect(await matched(app.call, { device_id: device.id })).toEqual(['revoked']);
  });

  it('is expired after the end of the certificate', async () => {
    const { device } = (await enroll(app, user)).body;
    app.clock.advance(397 * DAY_MS - 1);
    const { call } = await app.addToken('agent');
    expect(await matched(call, { device_id: device.id })).toEqual(['active']);
    app.clock.advance(1);
    expect(await matched(call, { device_id: device.id })).toEqual(['expired']);
    app.clock.advance(-397 * DAY_MS);
  });

  it('is unknown for a device of no user, of another user and of another organization', async () => {
    const other = await app.addOrganization();
    const theirs = (await enroll(app, await newUser(other.call), { call: other.call })).body.device.id;
    const another = (await enroll(app, await newUser(app.call))).body.device.id;
    for (const device_id of ['laptop', '00000000-0000-4000-8000-000000000000', theirs, another]) {
      expect(await matched(app.call, { device_id })).toEqual(['unknown']);
    }
  });

  it('is evaluated for a whole batch', async () => {
    const { device } = (await enroll(app, user)).body;
    const asked = (device_id: string) => ({ user_id: user, provider: 'p', model: 'm', device_id });
    const { body } = await app.call('POST', '/v1/decisions/batch', { requests: [asked(device.id), asked('other')] });
    const names = body.decisions.map(({ policies }: { policies: { name: string }[] }) => policies[0]?.name);
    expect(names).toEqual(['active', 'unknown']);
  });

  it('is recorded with the decision, and shown in the incident', async () => {
    const { device } = (await enroll(app, user)).body;
    const request = { user_id: user, provider: 'p', model: 'recorded', device_id: device.id };
    const { id } = (await app.call('POST', '/v1/decisions', request)).body;
    const { attributes } = (await app.call('GET', `/v1/decisions/${id}`)).body;
    expect(attributes).toMatchObject({ device_id: device.id, device_status: 'active' });
    const { items } = (await app.call('GET', '/v1/incidents?limit=100')).body;
    const incident = items.find(({ model }: { model: string }) => model === 'recorded');
    expect(incident.details).toMatchObject({ device_id: device.id, device_status: 'active' });
    const bare = (await app.call('POST', '/v1/decisions', { user_id: user, provider: 'p', model: 'bare' })).body.id;
    const recorded = (await app.call('GET', `/v1/decisions/${bare}`)).body.attributes;
    expect(Object.keys(recorded)).not.toContain('device_status');
  });

  it('does not matter if the user is suspended', async () => {
    const leaver = await newUser(app.call);
    const { device } = (await enroll(app, leaver)).body;
    await app.call('POST', `/v1/users/${leaver}/offboard`);
    const request = { user_id: leaver, provider: 'p', model: 'm', device_id: device.id };
    const { body } = await app.call('POST', '/v1/decisions', request);
    expect(body).toMatchObject({ allowed: false, reason: 'user_suspended' });
  });
});

describe('a revocation by another replica', () => {
  it.each([
    ['with notifications', true],
    ['when every notification is lost', false],
  ])('is in effect within a second, %s', async (_title, listen) => {
    const options = { testDatabase: app.database, orgId: app.orgId, time: app.clock };
    const other = await startTestApp({ ...options, database: { url: '', changes: { listen } } });
    try {
      const { device } = (await enroll(app, user)).body;
      const asked = { device_id: device.id };
      await untilSo(async () => (await matched(other.call, asked))[0] === 'active');
      await app.call('POST', `/v1/devices/${device.id}/revoke`);
      // The replica that revoked the device must know it at once. The other replica follows.
      expect(await matched(app.call, asked)).toEqual(['revoked']);
      await untilSo(async () => (await matched(other.call, asked))[0] === 'revoked');
      const { device: next } = (await enroll(app, user)).body;
      await untilSo(async () => (await matched(other.call, { device_id: next.id }))[0] === 'active');
    } finally {
      await other.close();
    }
  });
});

describe("a host's own device directory", () => {
  class Fleet extends DeviceDirectory {
    static failing = false;

    override async statusOf(_orgId: string, deviceId: string): Promise<'active' | 'unknown'> {
      if (Fleet.failing) throw new Error('the fleet cannot be asked');
      return deviceId === 'fleet-1' ? 'active' : 'unknown';
    }
  }

  it('is used instead, and decisions fail while it is unavailable', async () => {
    const options = { testDatabase: app.database, orgId: app.orgId, time: app.clock };
    const host = await startTestApp({ ...options, deviceDirectory: Fleet });
    try {
      expect(await matched(host.call, { device_id: 'fleet-1' })).toEqual(['active']);
      expect(await matched(host.call, { device_id: 'fleet-2' })).toEqual(['unknown']);
      Fleet.failing = true;
      const request = { user_id: user, provider: 'p', model: 'm' };
      expect((await host.call('POST', '/v1/decisions', { ...request, device_id: 'fleet-1' })).status).toBe(503);
      expect((await host.call('POST', '/v1/decisions', request)).status).toBe(200);
    } finally {
      await host.close();
    }
  });
});

async function untilSo(check: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (performance.now() < end) {
    if (await check()) return;
    await new Promise(done => setTimeout(done, 10));
  }
  throw new Error('it did not become so in time');
}
