import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { patch, scimCall } from './scim/scim.support.js';

const PEOPLE = 5;
/**
 * A second, plus the delay of a busy machine. Without the feature, the change would never arrive.
 * `scripts/suspend-to-deny.mjs` measures the second.
 */
const WITHIN_MS = 9_000;

describe('four replicas, two of which get no notifications', () => {
  const replicas: TestApp[] = [];

  beforeAll(async () => {
    const owner = await startTestApp();
    replicas.push(owner);
    const { database: testDatabase, orgId, clock: time } = owner;
    for (const listen of [true, false, false]) {
      const database = { url: '', changes: { listen } };
      replicas.push(await startTestApp({ testDatabase, orgId, time, database }));
    }
  });

  afterAll(async () => {
    // The first replica owns the database, so it is closed last.
    for (const replica of replicas.toReversed()) await replica.close();
  });

  const byOffboarding = (call: Call, id: string) => call('POST', `/v1/users/${id}/offboard`);
  const byScim = (call: Call, id: string) =>
    scimCall(call)('PATCH', `/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));

  it.each([
    ['their offboarding', byOffboarding],
    ['their deactivation by an identity provider', byScim],
  ])('all refuse a user within a second after the answer to %s', async (_what, lockOut) => {
    const owner = replicas[0]!;
    for (let at = 0; at < PEOPLE; at++) {
      const person = { email: `p${at}-${lockOut.name}@example.com`, name: 'P' };
      const { id } = (await owner.call('POST', '/v1/users', person)).body;
      const request = { user_id: id, provider: 'openai', model: 'gpt-4o' };
      const ask = async (replica: TestApp): Promise<string> =>
        (await replica.as(owner.adminToken)('POST', '/v1/decisions', request)).body.reason;
      const becomes = async (replica: TestApp, reason: string): Promise<number> => {
        const begun = performance.now();
        while ((await ask(replica)) !== reason && performance.now() - begun < 10_000) {
          await new Promise(done => setTimeout(done, 5));
        }
        return performance.now() - begun;
      };
      await Promise.all(replicas.map(replica => becomes(replica, 'no_policy_matched')));
      const through = replicas[at % replicas.length]!.as(owner.adminToken);
      expect((await lockOut(through, id)).status).toBe(200);
      const times = await Promise.all(replicas.map(replica => becomes(replica, 'user_suspended')));
      expect(Math.max(...times)).toBeLessThan(WITHIN_MS);
    }
  });
});
