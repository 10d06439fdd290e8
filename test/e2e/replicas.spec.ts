import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';

/** A second, plus extra time for a busy machine. Without the feature, the change would never arrive. */
const WITHIN_MS = 9_000;

describe.each([
  { name: 'with notifications', changes: { listen: true } },
  { name: 'with every notification lost', changes: { listen: false } },
])('two replicas on one database, $name', ({ changes }) => {
  const apps: TestApp[] = [];

  afterEach(async () => {
    // The first replica owns the database, so it is closed last.
    for (const app of apps.splice(0).reverse()) await app.close();
  });

  async function startReplicas(): Promise<[TestApp, TestApp]> {
    const first = await startTestApp({ database: { url: '', changes } });
    apps.push(first);
    const second = await startTestApp({
      testDatabase: first.database,
      orgId: first.orgId,
      database: { url: '', changes },
    });
    apps.push(second);
    return [first, second];
  }

  async function untilDecided(app: TestApp, user: string, reason: string): Promise<number> {
    const begun = performance.now();
    for (;;) {
      const { body } = await app.call('POST', '/v1/decisions', { user_id: user, provider: 'openai', model: 'gpt-4o' });
      const elapsed = performance.now() - begun;
      if (body.reason === reason || elapsed > 10_000) return elapsed;
      await new Promise(done => setTimeout(done, 5));
    }
  }

  it('a policy change on one is in effect on the other within a second', async () => {
    const [one, two] = await startReplicas();
    const user = (await one.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
    await untilDecided(two, user, 'no_policy_matched');
    await one.call('POST', '/v1/policies', { name: 'Closed', action: 'block' });
    expect(await untilDecided(two, user, 'policy')).toBeLessThan(WITHIN_MS);
  });

  it('a suspension on one is in effect on the other within a second', async () => {
    const [one, two] = await startReplicas();
    const user = (await one.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
    await untilDecided(two, user, 'no_policy_matched');
    expect((await one.call('POST', `/v1/users/${user}/offboard`)).status).toBe(200);
    expect(await untilDecided(two, user, 'user_suspended')).toBeLessThan(WITHIN_MS);
  });

  it('a token revoked on one is refused by the other within a second', async () => {
    const [one, two] = await startReplicas();
    const { body } = await one.call('POST', '/v1/tokens', { name: 'short', role: 'auditor' });
    expect((await two.as(body.token)('GET', '/v1/policies')).status).toBe(200);
    await one.call('DELETE', `/v1/tokens/${body.id}`);
    const begun = performance.now();
    while ((await two.as(body.token)('GET', '/v1/policies')).status !== 401 && performance.now() - begun < 10_000) {
      await new Promise(done => setTimeout(done, 5));
    }
    expect(performance.now() - begun).toBeLessThan(WITHIN_MS);
  });

  it('a change on one is in effect on the same one when the call returns', async () => {
    const [one] = await startReplicas();
    const user = (await one.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
    await untilDecided(one, user, 'no_policy_matched');
    await one.call('POST', '/v1/policies', { name: 'Closed', action: 'block' });
    const { body } = await one.call('POST', '/v1/decisions', { user_id: user, provider: 'openai', model: 'gpt-4o' });
    expect(body.reason).toBe('policy');
  });
});
