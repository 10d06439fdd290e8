import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type TestApp } from '../support/test-app.js';

const apps: TestApp[] = [];

afterEach(async () => {
  for (const app of apps.splice(0).toReversed()) await app.close();
});

async function replicas(listen: boolean): Promise<[TestApp, TestApp]> {
  const decisions = { unknownUser: 'evaluate' } as const;
  const changes = { listen };
  const first = await startTestApp({ decisions, database: { url: '', changes } });
  apps.push(first);
  const second = await startTestApp({
    decisions,
    testDatabase: first.database,
    orgId: first.orgId,
    database: { url: '', changes },
  });
  apps.push(second);
  return [first, second];
}

const request = { user_id: randomUUID(), model: 'm', provider: 'p' };
const actionOn = async (app: TestApp): Promise<string> =>
  (await app.call('POST', '/v1/decisions', request)).body.action;

describe('a policy changed on another replica', () => {
  it.each([
    ['with notifications', true],
    ['when every notification is lost', false],
  ])('is in effect within a second after each change, %s', async (_title, listen) => {
    const [first, second] = await replicas(listen);
    expect(await actionOn(second)).toBe('allow');
    const { id } = (await first.call('POST', '/v1/policies', { name: 'p', action: 'block' })).body;
    await expectWithinASecond(second, 'block');
    await first.call('PUT', `/v1/policies/${id}`, { action: 'alert' });
    await expectWithinASecond(second, 'alert');
    await first.call('DELETE', `/v1/policies/${id}`);
    await expectWithinASecond(second, 'allow');
  });
});

describe('an idempotency key on two replicas', () => {
  it('belongs to one decision', async () => {
    const [first, second] = await replicas(true);
    const body = { ...request, idempotency_key: 'k' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? first : second).call('POST', '/v1/decisions', body)),
    );
    for (const answer of answers) expect(answer.body).toEqual(answers[0]?.body);
  });
});

async function expectWithinASecond(app: TestApp, action: string): Promise<void> {
  // A second, plus the delay of a machine whose cores are busy.
  const until = performance.now() + 10_000;
  while ((await actionOn(app)) !== action && performance.now() < until) await new Promise(done => setTimeout(done, 10));
  expect(await actionOn(app)).toBe(action);
}
