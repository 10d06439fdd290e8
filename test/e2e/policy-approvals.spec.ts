import { randomUUID } from 'node:crypto';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OrgDatabase } from '#database';
import { Governance } from '#governance';
import { ApprovalRequests } from '../../libs/policy/records/approval-requests.port.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { DAY_MS, HOUR_MS, MODEL, openOffice } from './approvals.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app.close());

const WAITING = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
const office = () => openOffice(app);
const eventsOf = async (orgId: string): Promise<number> => {
  const [row] = await app.database.asOwner<{ n: number }>(
    `select count(*)::integer as n from governance.events where org_id = $1 and type = 'policy_violation'`,
    [orgId],
  );
  return row?.n ?? 0;
};

describe('a decision that needs an approval', () => {
  it('is refused with the id of a new approval request', async () => {
    const { orgId, call, ada, adaEmail, policyId, ask } = await office();
    const at = app.clock.now().toISOString();
    const decision = await ask();
    expect(decision).toEqual({
      id: expect.any(String),
      action: 'require_approval',
      allowed: false,
      reason: 'policy',
      policies: [{ id: policyId, name: 'Ask first', action: 'require_approval', version: 1, matched_conditions: [] }],
      approval_id: expect.any(String),
      evaluated_at: at,
    });
    expect((await call('GET', `/v1/approvals/${decision.approval_id}`)).body).toEqual({
      id: decision.approval_id,
      org_id: orgId,
      policy_id: policyId,
      policy_name: 'Ask first',
      user_id: ada,
      user_email: adaEmail,
      ...MODEL,
      status: 'pending',
      requests: 1,
      requested_at: at,
      last_requested_at: at,
      decided_at: null,
      decided_by: null,
      reason: null,
      expires_at: new Date(Date.parse(at) + 7 * DAY_MS).toISOString(),
    });
    expect((await call('GET', `/v1/decisions/${decision.id}`)).body).toMatchObject(decision);
  });

  it('opens one request per policy, user and model, and counts its repetitions', async () => {
    const { call, ask, pending, addUser } = await office();
    const id = await pending();
    app.clock.advance(HOUR_MS);
    const ids = await Promise.all(Array.from({ length: 30 }, () => pending()));
    expect(new Set(ids)).toEqual(new Set([id]));
    const { requests, requested_at, last_requested_at } = (await call('GET', `/v1/approvals/${id}`)).body;
    expect({ requests, last_requested_at }).toEqual({ requests: 31, last_requested_at: app.clock.now().toISOString() });
    expect(requested_at < last_requested_at).toBe(true);
    expect(await pending({ provider: 'azure' })).toBe(id);
    const bob = await addUser('Bob');
    const others = await Promise.all([pending({ model: 'GPT-4o' }), pending({ user_id: bob.id })]);
    expect(new Set([id, ...others]).size).toBe(3);
    expect((await call('GET', '/v1/approvals')).body.total_count).toBe(3);
    expect((await ask({ user_id: undefined, user_email: bob.email.toUpperCase() })).approval_id).toBe(others[1]);
  });

  it('opens one request for concurrent decisions, also within one batch', async () => {
    const { call, ada, pending } = await office();
    const requests = Array.from({ length: 20 }, (_, at) => ({ user_id: ada, provider: 'p', model: `m${at % 2}` }));
    const [batch] = await Promise.all([
      call('POST', '/v1/decisions/batch', { requests }),
      ...Array.from({ length: 10 }, () => pending({ model: 'm0' })),
    ]);
    expect(new Set(batch.body.decisions.map((decision: { approval_id: string }) => decision.approval_id)).size).toBe(2);
    const { items } = (await call('GET', '/v1/approvals')).body;
    expect(items.map(({ model, requests: n }: { model: string; requests: number }) => [model, n]).toSorted()).toEqual([
      ['m0', 20],
      ['m1', 10],
    ]);
  });

  it('is allowed once it is granted, as if no approval were needed', async () => {
    const { ask, call, granted, addUser } = await office();
    await granted();
    const decision = await ask();
    expect(decision).toMatchObject({ action: 'allow', allowed: true, reason: 'approval_granted' });
    expect(decision).not.toHaveProperty('approval_id');
    expect(decision.policies).toHaveLength(1);
    expect(await ask({ provider: 'azure' })).toMatchObject({ allowed: true });
    expect(await ask({ model: 'gpt-4o-mini' })).toMatchObject({ allowed: false });
    expect(await ask({ user_id: (await addUser('Bob')).id })).toMatchObject({ allowed: false });
    expect((await call('GET', `/v1/decisions/${decision.id}`)).body).toMatchObject({ reason: 'approval_granted' });
  });

  it('is allowed until the end of the grant', async () => {
    const { ask, call, granted } = await office();
    const id = await granted();
    app.clock.advance(24 * HOUR_MS - 1);
    expect(await ask()).toMatchObject({ allowed: true });
    app.clock.advance(1);
    const next = await ask();
    expect(next).toMatchObject({ allowed: false, approval_id: expect.any(String) });
    expect(next.approval_id).not.toBe(id);
    expect((await call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ status: 'expired' });
  });

  it('is refused at once when the grant is revoked, and opens a new request', async () => {
    const { ask, act, granted } = await office();
    const id = await granted();
    expect((await act(id, 'revoke')).status).toBe(200);
    const next = await ask();
    expect(next).toMatchObject({ allowed: false, reason: 'policy' });
    expect(next.approval_id).not.toBe(id);
  });

  it('opens a new request after a denial', async () => {
    const { call, act, ask, pending } = await office();
    const id = await pending();
    await act(id, 'deny');
    const next = await ask();
    expect(next.allowed).toBe(false);
    expect(next.approval_id).not.toBe(id);
    expect((await call('GET', `/v1/approvals/${next.approval_id}`)).body).toMatchObject({
      status: 'pending',
      requests: 1,
    });
  });

  it('opens a new request if the denial is committed at the same time', async () => {
    const { ask, pending } = await office();
    const id = await pending();
    const denier = new pg.Client({ connectionString: app.database.url });
    await denier.connect();
    try {
      await denier.query('begin');
      await denier.query(
        `update governance.approvals set status = 'denied', decided_at = now(), decided_by = '{}' where id = $1`,
        [id],
      );
      const asking = ask();
      // Waits until the request is blocked by the transaction that decides the approval.
      await until(async () => (await app.database.asOwner(WAITING)).length > 0);
      await denier.query('commit');
      expect((await asking).approval_id).not.toBe(id);
    } finally {
      await denier.end();
    }
  });

  it('opens a new request if the previous one expired', async () => {
    const { call, pending } = await office();
    const id = await pending();
    app.clock.advance(7 * DAY_MS - 1);
    expect(await pending()).toBe(id);
    app.clock.advance(1);
    expect(await pending()).not.toBe(id);
    expect((await call('GET', `/v1/approvals/${id}`)).body).toMatchObject({ status: 'expired', decided_at: null });
  });

  it('needs a grant for each policy that requires one, the oldest first', async () => {
    const { call, ask, act, policyId, addPolicy } = await office();
    const second = await addPolicy({ name: 'Ask twice', model: 'gpt-*' });
    const policyOf = async (id: string) => (await call('GET', `/v1/approvals/${id}`)).body.policy_id;
    const first = await ask();
    expect(await policyOf(first.approval_id)).toBe(policyId);
    await act(first.approval_id, 'approve');
    const next = await ask();
    expect(next).toMatchObject({ allowed: false, action: 'require_approval' });
    expect(await policyOf(next.approval_id)).toBe(second);
    await act(next.approval_id, 'approve');
    expect(await ask()).toMatchObject({ allowed: true, reason: 'approval_granted' });
  });

  it('is blocked if another policy blocks, granted or not, and opens no request', async () => {
    const { call, ask, granted, addPolicy } = await office();
    await granted();
    await addPolicy({ name: 'Never', action: 'block' });
    for (const model of ['gpt-4o', 'gpt-4']) {
      const decision = await ask({ model });
      expect(decision).toMatchObject({ action: 'block', allowed: false, reason: 'policy' });
      expect(decision).not.toHaveProperty('approval_id');
    }
    expect((await call('GET', '/v1/approvals?status=pending')).body.items).toEqual([]);
  });

  it('also sends the alert of another policy, refused or granted', async () => {
    const { orgId, ask, act, addPolicy } = await office();
    await addPolicy({ name: 'Watch', action: 'alert' });
    const refused = await ask();
    expect(refused).toMatchObject({ action: 'require_approval', allowed: false, approval_id: expect.any(String) });
    expect(await eventsOf(orgId)).toBe(1);
    await act(refused.approval_id, 'approve');
    expect(await ask()).toMatchObject({ action: 'alert', allowed: true, reason: 'approval_granted' });
    expect(await eventsOf(orgId)).toBe(2);
  });

  it('is still checked against budgets if it is granted', async () => {
    const { call, ask, granted } = await office();
    await granted();
    const budget = { name: 'All', scope: 'organization', amount_usd: 1000, period: 'monthly', enforcement: 'block' };
    const { body } = await call('POST', '/v1/budgets', budget);
    expect(await ask()).toMatchObject({ reason: 'approval_granted', reservation: { amount_usd: expect.any(Number) } });
    await call('PATCH', `/v1/budgets/${body.id}`, { amount_usd: 0 });
    expect(await ask()).toMatchObject({ allowed: false, action: 'block', reason: 'budget_exceeded' });
  });

  it('has the same answer for the same idempotency key, whatever was decided since, and counts once', async () => {
    const { call, ask, act } = await office();
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask({ idempotency_key: 'k' })));
    const [first] = answers;
    expect(first.approval_id).toEqual(expect.any(String));
    for (const answer of answers) expect(answer).toEqual(first);
    expect((await call('GET', `/v1/approvals/${first.approval_id}`)).body.requests).toBe(1);
    await act(first.approval_id, 'approve');
    expect(await ask({ idempotency_key: 'k' })).toEqual(first);
    expect(await ask({ idempotency_key: 'l' })).toMatchObject({ allowed: true });
  });

  it('keeps its grant when the policy changes', async () => {
    const { call, ask, granted, policyId } = await office();
    await granted();
    await call('PUT', `/v1/policies/${policyId}`, {
      name: 'Ask nicely',
      conditions: { department: { in: ['Sales'] } },
    });
    const decision = await ask();
    expect(decision).toMatchObject({ allowed: true, reason: 'approval_granted', policies: [{ version: 2 }] });
  });

  it('leaves no request if its record was not written', async () => {
    const { orgId, call, ada, policyId, granted } = await office();
    const requests = app.app.get(ApprovalRequests);
    const row = (model: string) => ({
      id: randomUUID(),
      occurred_at: app.clock.now().toISOString(),
      user_id: ada,
      provider: 'p',
      model,
      action: 'require_approval',
      allowed: false,
      reason: 'policy',
      policies: [],
      attributes: {},
      sample_rate: 1,
      requiredApproval: { policyId, policyName: 'p', userId: ada },
    });
    const [lost, kept] = [row('lost'), row('kept')];
    const ids = await app.app.get(OrgDatabase).transaction(orgId, async em => {
      const attached = await requests.attach(em, orgId, [lost, kept]);
      await attached.conclude(new Set([kept.id]));
      return attached.ids;
    });
    const { items } = (await call('GET', '/v1/approvals')).body;
    expect(items).toMatchObject([{ id: ids.get(kept.id), model: 'kept', requests: 1 }]);
    // A later decision about this model uses the request that is still open.
    const id = await granted({}, { model: 'kept' });
    expect(id).toBe(ids.get(kept.id));
  });
});

describe('a decision that needs an approval, in a transaction of the host', () => {
  let orm: MikroORM;

  beforeAll(async () => {
    orm = await MikroORM.init({ clientUrl: app.database.url, entities: [], discovery: { warnWhenNoEntities: false } });
  });

  afterAll(() => orm?.close(true));

  it('opens the request when that transaction commits, and only then', async () => {
    const { orgId, call, ada } = await office();
    const governance = app.app.get(Governance);
    const request = { user_id: ada, ...MODEL, idempotency_key: 'k' };
    const undone = orm.em.fork().transactional(async em => {
      await governance.decide(orgId, request, { em });
      throw new Error('the host thought better of it');
    });
    await expect(undone).rejects.toThrow('better');
    expect((await call('GET', '/v1/approvals')).body.items).toEqual([]);
    const made = await orm.em.fork().transactional(em => governance.decide(orgId, request, { em }));
    expect(made).toMatchObject({ action: 'require_approval', allowed: false, approval_id: expect.any(String) });
    const again = await orm.em.fork().transactional(em => governance.decide(orgId, request, { em }));
    expect(again).toEqual(made);
    expect((await call('GET', '/v1/approvals')).body.items).toMatchObject([{ id: made.approval_id, requests: 1 }]);
    expect((await call('GET', `/v1/decisions/${made.id}`)).body.approval_id).toBe(made.approval_id);
  });

  it('is one decision and one request if its idempotency key was taken meanwhile', async () => {
    const { orgId, call, ada } = await office();
    const governance = app.app.get(Governance);
    const request = { user_id: ada, ...MODEL, idempotency_key: 'k' };
    const decide = () => orm.em.fork().transactional(em => governance.decide(orgId, request, { em }));
    const [one, other] = await Promise.all([decide(), decide()]);
    expect(other).toEqual(one);
    expect((await call('GET', '/v1/approvals')).body.items).toMatchObject([{ id: one.approval_id, requests: 1 }]);
  });

  it('is allowed when it is granted', async () => {
    const { orgId, ada, granted } = await office();
    await granted();
    const request = { user_id: ada, ...MODEL };
    const made = await orm.em.fork().transactional(em => app.app.get(Governance).decide(orgId, request, { em }));
    expect(made).toMatchObject({ action: 'allow', allowed: true, reason: 'approval_granted' });
  });
});

describe('users that the directory does not know', () => {
  it('open requests under their email address, and cannot decide these after they were added to the directory', async () => {
    const other = await startTestApp({ decisions: { unknownUser: 'evaluate' }, testDatabase: app.database });
    try {
      const { call, ask, act, as } = await openOffice(other);
      const email = `guest-${randomUUID()}@partner.example`;
      const guest = { user_id: undefined, user_email: email.toUpperCase() };
      const { approval_id: id } = await ask(guest);
      expect(await ask({ ...guest, user_email: email })).toMatchObject({ approval_id: id });
      expect((await call('GET', `/v1/approvals?user_id=${encodeURIComponent(email)}`)).body.items).toMatchObject([
        { id, user_id: email, requests: 2 },
      ]);
      const { body: user } = await call('POST', '/v1/users', { email, name: 'Guest' });
      const asGuest = await as('admin', user.id);
      expect(await asGuest('POST', `/v1/approvals/${id}/approve`)).toMatchObject({ status: 403 });
      const asMember = await as('member', user.id);
      expect((await asMember('GET', '/v1/approvals')).body.items).toMatchObject([{ id }]);
      expect((await act(id, 'approve')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});

describe('the default action require_approval', () => {
  it('refuses without a request: no policy requires an approval, so nothing could be granted', async () => {
    const other = await startTestApp({ decisions: { defaultAction: 'require_approval' }, testDatabase: app.database });
    try {
      const { call, ask, policyId } = await openOffice(other);
      await call('DELETE', `/v1/policies/${policyId}`);
      const decision = await ask();
      expect(decision).toMatchObject({ action: 'require_approval', allowed: false, reason: 'no_policy_matched' });
      expect(decision).not.toHaveProperty('approval_id');
    } finally {
      await other.close();
    }
  });
});
