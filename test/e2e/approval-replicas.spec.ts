import { afterEach, describe, expect, it } from '@jest/globals';
import { ApprovalExpiry } from '../../libs/policy/approvals/approval-expiry.js';
import { ManualClock } from '../support/manual-clock.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { MODEL, openOffice } from './approvals.support.js';

const apps: TestApp[] = [];

afterEach(async () => {
  for (const app of apps.splice(0).toReversed()) await app.close();
});

/** A clock with the machine's time plus some milliseconds. */
class RunningClock extends ManualClock {
  constructor(private readonly aheadMs: number) {
    super();
  }

  override now(): Date {
    return new Date(Date.now() + this.aheadMs);
  }
}

async function replicas(changes: { listen: boolean; pollIntervalMs?: number }): Promise<[TestApp, TestApp]> {
  const time = new ManualClock();
  const first = await startTestApp({ time, database: { url: '', changes } });
  apps.push(first);
  const second = await startTestApp({ time, testDatabase: first.database, database: { url: '', changes } });
  apps.push(second);
  return [first, second];
}

describe('a grant by another replica', () => {
  it.each([
    ['with notifications', true],
    ['when every notification is lost', false],
  ])('is in effect within a second, like its revocation, and ends at once, %s', async (_title, listen) => {
    const [first, second] = await replicas({ listen });
    const { token, ada, pending, act } = await openOffice(first);
    const askThere = async () => (await second.as(token)('POST', '/v1/decisions', { user_id: ada, ...MODEL })).body;
    const expectThere = async (allowed: boolean) => {
      // A second, plus the delay of a machine whose cores are busy.
      const until = performance.now() + 10_000;
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

  it('is named by a decision made too early to use it, and no other request is opened', async () => {
    const [first, second] = await replicas({ listen: false, pollIntervalMs: 60_000 });
    const { token, call, ada, pending, act } = await openOffice(first);
    const askThere = async () => (await second.as(token)('POST', '/v1/decisions', { user_id: ada, ...MODEL })).body;
    const id = await pending();
    await askThere();
    await act(id, 'approve');
    expect(await askThere()).toMatchObject({ allowed: false, approval_id: id });
    expect((await call('GET', '/v1/approvals')).body.items).toMatchObject([{ id, status: 'approved', requests: 3 }]);
  });

  it('is decided once, by the first approver on any replica', async () => {
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

  it('opens one request for concurrent decisions on both replicas', async () => {
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

  it('is decided once or expires, even if both happen at the moment of its end and clocks differ', async () => {
    const first = await startTestApp({ time: new RunningClock(0) });
    apps.push(first);
    const second = await startTestApp({ time: new RunningClock(2), testDatabase: first.database });
    apps.push(second);
    const { orgId, token, call, pending, act } = await openOffice(first);
    const there = second.as(token);
    const sweeps = [first, second].map(({ app }) => app.get(ApprovalExpiry).sweep);
    const seen = new Set<string>();
    let leadMs = 8;
    for (let round = 0; round < 20; round++) {
      const id = await pending({ model: `m${round}` });
      // This approval stays pending, so that the expiry job always has work for the organization.
      await pending({ model: `left ${round}` });
      const end = new Date(Date.now() + leadMs).toISOString();
      const ending = `update governance.approvals set expires_at = $1 where org_id = $2 and status = 'pending'`;
      await first.database.asOwner(ending, [end, orgId]);
      const over = new AbortController();
      const sweeping = sweeps.map(async sweep => {
        while (!over.signal.aborted) await Promise.all([sweep(), new Promise(done => setTimeout(done, 1))]);
      });
      const answers = await Promise.all([act(id, 'approve'), there('POST', `/v1/approvals/${id}/deny`)]);
      over.abort();
      await Promise.all(sweeping);
      await new Promise(done => setTimeout(done, Math.max(0, Date.parse(end) + 1 - Date.now())));
      for (const sweep of sweeps) await sweep();
      const [row] = await first.database.asOwner<{ status: string }>(
        'select status from governance.approvals where org_id = $1 and id = $2',
        [orgId, id],
      );
      const status = String(row?.status);
      expect(['approved', 'denied', 'expired']).toContain(status);
      expect(answers.map(answer => answer.status)).toEqual([
        status === 'approved' ? 200 : 409,
        status === 'denied' ? 200 : 409,
      ]);
      for (const answer of answers) {
        if (answer.status === 200) expect(answer.body.status).toBe(status);
        // 409: one replica expired or decided the approval a moment before the other.
        else expect(answer.body.message).toMatch(new RegExp(`${status}|expired`));
      }
      const entries = (await call('GET', `/v1/audit-log?resource_id=${id}`)).body.items;
      expect(entries.map(({ action }: { action: string }) => action)).toEqual([
        `approval.${status}`,
        'approval.requested',
      ]);
      seen.add(status === 'expired' ? 'expired' : 'decided');
      // If the approval expired before the decision, the next approval gets more time; otherwise it gets less. Both
      // outcomes therefore occur on any machine.
      leadMs = status === 'expired' ? leadMs * 1.5 + 1 : leadMs * 0.7;
    }
    expect(seen).toEqual(new Set(['decided', 'expired']));
  });
});
