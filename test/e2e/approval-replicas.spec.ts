import { afterEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../support/manual-clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { MODEL, openOffice } from './approvals.support.js';

const apps: TestApp[] = [];

afterEach(async () => {
  for (const app of apps.splice(0).toReversed()) await app.close();
});

async function replicas(changes: { listen: boolean; pollIntervalMs?: number }): Promise<[TestApp, TestApp]> {
  const time = new ManualClock();
  const first = await startTestApp({ time, database: { url: '', changes } });
  apps.push(first);
  const second = await startTestApp({ time, testDatabase: first.database, database: { url: '', changes } });
  apps.push(second);
  return [first, second];
}

describe('a grant on another replica', () => {
  it.each([
    ['with notifications', true],
    ['when every notification is lost', false],
  ])('holds within a second, and so does its revocation, and its end at once, %s', async (_title, listen) => {
    const [first, second] = await replicas({ listen });
    const { token, ada, pending, act } = await openOffice(first);
    const askThere = async () => (await second.as(token)('POST', '/v1/decisions', { user_id: ada, ...MODEL })).body;
    const expectThere = async (allowed: boolean) => {
      // A second, and what a machine whose cores are busy takes beside it.
      const until = performance.now() + 2_000;
      while ((await askThere()).allowed !== allowed && performance.now() < until) {
        await new Promise(done => setTimeout(done, 10));
      }
      expect((await askThere()).allowed).toBe(allowed);
    };
    const id = await pending();
    expect(await askThere()).toMatchObject({ allowed: false, approval_id: id });
    await act(id, 'approve');
    await expectThere(true);
    await act(id, 'revoke');
    await expectThere(false);
    const again = await pending();
    await act(again, 'approve', { expires_at: new Date(first.clock.now().getTime() + 5_000).toISOString() });
    await expectThere(true);
    first.clock.advance(5_000);
    expect(await askThere()).toMatchObject({ allowed: false });
  });

  it('is named by a decision that came too early to know it, and no other request is opened', async () => {
    const [first, second] = await replicas({ listen: false, pollIntervalMs: 60_000 });
    const { token, call, ada, pending, act } = await openOffice(first);
    const askThere = async () => (await second.as(token)('POST', '/v1/decisions', { user_id: ada, ...MODEL })).body;
    const id = await pending();
    await askThere();
    await act(id, 'approve');
    expect(await askThere()).toMatchObject({ allowed: false, approval_id: id });
    expect((await call('GET', '/v1/approvals')).body.items).toMatchObject([{ id, status: 'approved', requests: 3 }]);
  });

  it('is decided once, by whoever comes first on any replica', async () => {
    const [first, second] = await replicas({ listen: true });
    const { token, pending, act } = await openOffice(first);
    const there = second.as(token);
    for (let round = 0; round < 5; round++) {
      const id = await pending({ model: `m${round}` });
      const answers = await Promise.all([
        act(id, 'deny'),
        there('POST', `/v1/approvals/${id}/approve`),
        there('POST', `/v1/approvals/${id}/deny`),
        act(id, 'approve'),
      ]);
      expect(answers.map(({ status }) => String(status)).toSorted()).toEqual(['200', '409', '409', '409']);
    }
  });

  it('opens one request when people ask on both at once', async () => {
    const [first, second] = await replicas({ listen: true });
    const { token, call, ada, pending } = await openOffice(first);
    const there = second.as(token);
    const models = Array.from({ length: 40 }, (_, at) => `m${at % 4}`);
    await Promise.all(
      models.map((model, at) =>
        at % 8 < 4 ? pending({ model }) : there('POST', '/v1/decisions', { user_id: ada, ...MODEL, model }),
      ),
    );
    const { items } = (await call('GET', '/v1/approvals')).body;
    expect(items.map(({ requests }: { requests: number }) => requests)).toEqual([10, 10, 10, 10]);
  });
});
