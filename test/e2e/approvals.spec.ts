import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ApprovalExpiry } from '../../libs/policy/approvals/approval-expiry.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { DAY_MS, HOUR_MS, openOffice, type Office } from './approvals.support.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ approvals: { defaultHours: 48, pendingDays: 3 } });
});

afterAll(() => app.close());

const office = () => openOffice(app);
const inMs = (milliseconds: number) => new Date(app.clock.now().getTime() + milliseconds).toISOString();
const sweep = () => app.app.get(ApprovalExpiry).sweep();
const both = (...ids: (string | undefined)[]) => ids.map(String).toSorted();
const entriesOf = async (of: Office, id: string) =>
  (await of.call('GET', `/v1/audit-log?resource_id=${id}`)).body.items;
const isConflict = (answer: Answer, word: string) =>
  expect(answer).toMatchObject({
    status: 409,
    body: { error: 'conflict', message: expect.stringContaining(word) },
  });

/** For each key, a function that brings an approval into a status. The key describes how. */
const WAYS: Record<string, (of: Office) => Promise<string>> = {
  pending: of => of.pending(),
  approved: of => of.granted(),
  denied: async of => {
    const id = await of.pending();
    await of.act(id, 'deny');
    return id;
  },
  revoked: async of => {
    const id = await of.granted();
    await of.act(id, 'revoke');
    return id;
  },
  'expired unasked': async of => {
    const id = await of.pending();
    app.clock.advance(3 * DAY_MS);
    return id;
  },
  'expired after a grant': async of => {
    const id = await of.granted({ expires_at: inMs(1) });
    app.clock.advance(1);
    return id;
  },
};

describe('an approver', () => {
  it('grants a request until a given time, with a reason', async () => {
    const { act, call, pending } = await office();
    const id = await pending();
    const body = { expires_at: inMs(HOUR_MS), reason: 'For the migration.' };
    const answer = await act(id, 'approve', body);
    expect(answer).toMatchObject({
      status: 200,
      body: {
        id,
        status: 'approved',
        ...body,
        decided_at: app.clock.now().toISOString(),
        decided_by: { kind: 'token', id: expect.any(String), name: 'test admin', user_id: null },
      },
    });
    expect((await call('GET', `/v1/approvals/${id}`)).body).toEqual(answer.body);
  });

  it('grants without an end if none is given, and every body is optional', async () => {
    const of = await office();
    expect((await of.act(await of.pending(), 'approve')).body.expires_at).toBe(inMs(48 * HOUR_MS));
    const id = await of.pending({ model: 'm' });
    expect((await of.act(id, 'approve', {})).body.expires_at).toBe(inMs(48 * HOUR_MS));
    expect(await of.act(id, 'revoke')).toMatchObject({ status: 200, body: { status: 'revoked' } });
    expect(await of.act(await of.pending({ model: 'm' }), 'deny')).toMatchObject({
      status: 200,
      body: { status: 'denied' },
    });
  });

  it('denies and revokes with a reason', async () => {
    const of = await office();
    const denied = await of.act(await of.pending(), 'deny', { reason: 'Too dear.' });
    expect(denied.body).toMatchObject({ status: 'denied', reason: 'Too dear.' });
    const id = await of.granted({ reason: 'For now.' });
    expect((await of.act(id, 'revoke', { reason: 'Done.' })).body).toMatchObject({
      status: 'revoked',
      reason: 'Done.',
    });
  });

  it.each([
    ['now', () => inMs(0), 'future'],
    ['a time in the past', () => inMs(-1), 'future'],
    ['a time more than 90 days away', () => inMs(90 * DAY_MS + 1), '90 days'],
    ['an invalid time', () => 'tomorrow', 'ISO 8601'],
    ['null', () => null, 'ISO 8601'],
  ])('cannot grant until %s', async (_when, end, word) => {
    const { act, pending, call } = await office();
    const id = await pending();
    const answer = await act(id, 'approve', { expires_at: end() });
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ field: 'expires_at', message: expect.stringContaining(word) }] },
    });
    expect((await call('GET', `/v1/approvals/${id}`)).body.status).toBe('pending');
    expect((await act(id, 'approve', { expires_at: inMs(90 * DAY_MS) })).status).toBe(200);
  });

  it.each(['approve', 'deny', 'revoke'] as const)('cannot %s with fields of another transition', async verb => {
    const { act, pending } = await office();
    const id = await pending();
    const fields = { reason: 'x'.repeat(1_001), until: 1, ...(verb === 'approve' ? {} : { expires_at: inMs(5) }) };
    const { status, body } = await act(id, verb, fields);
    expect(status).toBe(400);
    expect(body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(
      Object.keys(fields).toSorted(),
    );
  });

  it.each([
    ['approve', 'approved', 'approved'],
    ['approve', 'denied', 'denied'],
    ['approve', 'revoked', 'revoked'],
    ['approve', 'expired unasked', 'expired'],
    ['approve', 'expired after a grant', 'expired'],
    ['deny', 'approved', 'approved'],
    ['deny', 'denied', 'denied'],
    ['deny', 'revoked', 'revoked'],
    ['deny', 'expired unasked', 'expired'],
    ['deny', 'expired after a grant', 'expired'],
    ['revoke', 'pending', 'pending'],
    ['revoke', 'denied', 'denied'],
    ['revoke', 'revoked', 'revoked'],
    ['revoke', 'expired unasked', 'expired'],
    ['revoke', 'expired after a grant', 'expired'],
  ] as const)('cannot %s an approval that is %s', async (verb, way, word) => {
    const of = await office();
    const id = await WAYS[way]!(of);
    const before = (await of.call('GET', `/v1/approvals/${id}`)).body;
    isConflict(await of.act(id, verb), word);
    await sweep();
    isConflict(await of.act(id, verb), word);
    expect((await of.call('GET', `/v1/approvals/${id}`)).body).toEqual(before);
  });

  it.each(['approve', 'deny', 'revoke'] as const)('cannot %s an unknown approval', async verb => {
    const { act } = await office();
    for (const id of ['00000000-0000-7000-8000-000000000000', 'none']) {
      expect(await act(id, verb)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
  });

  it('cannot decide their own request, and cannot revoke their own grant', async () => {
    const of = await office();
    const asAda = await of.as('admin', of.ada);
    const id = await of.pending();
    for (const verb of ['approve', 'deny']) {
      const answer = await asAda('POST', `/v1/approvals/${id}/${verb}`);
      expect(answer).toMatchObject({
        status: 403,
        body: { error: 'forbidden', message: expect.stringContaining('Another person must decide') },
      });
    }
    await of.act(id, 'approve');
    expect(await asAda('POST', `/v1/approvals/${id}/revoke`)).toMatchObject({ status: 403 });
    expect((await of.call('GET', `/v1/approvals/${id}`)).body.status).toBe('approved');
    const bob = await of.addUser('Bob');
    const asBob = await of.as('admin', bob.id);
    expect(await asBob('POST', `/v1/approvals/${id}/revoke`)).toMatchObject({
      status: 200,
      body: { decided_by: { user_id: bob.id } },
    });
  });

  it('cannot decide their own request with a credential that they created, for another user or for none', async () => {
    const of = await office();
    const asAda = await of.as('admin', of.ada);
    const bob = await of.addUser('Bob');
    const issue = async (as: Call, owner: object): Promise<Call> => {
      const made = await as('POST', '/v1/tokens', { name: 'Second', role: 'admin', ...owner });
      expect(made.status).toBe(201);
      return app.as(made.body.token);
    };
    const asBob = await issue(asAda, { user_id: bob.id });
    const made = [asBob, await issue(asAda, {}), await issue(asBob, {}), await issue(asBob, { user_id: bob.id })];
    const id = await of.pending();
    for (const as of made) {
      for (const verb of ['approve', 'deny']) {
        expect(await as('POST', `/v1/approvals/${id}/${verb}`)).toMatchObject({
          status: 403,
          body: { error: 'forbidden', message: expect.stringContaining('issued your credential') },
        });
      }
    }
    const unrelated = await of.as('admin', (await of.addUser('Carol')).id);
    const approved = await unrelated('POST', `/v1/approvals/${id}/approve`);
    expect(approved.status).toBe(200);
    expect(approved.body.decided_by).not.toHaveProperty('issued_by');
    for (const as of made) expect((await as('POST', `/v1/approvals/${id}/revoke`)).status).toBe(403);
  });

  it('is shown with the issuer of the credential', async () => {
    const of = await office();
    const [bob, carol] = [await of.addUser('Bob'), await of.addUser('Carol')];
    const asBob = await of.as('admin', bob.id);
    const { token } = (await asBob('POST', '/v1/tokens', { name: 'C', role: 'admin', user_id: carol.id })).body;
    const id = await of.pending();
    expect(await app.as(token)('POST', `/v1/approvals/${id}/approve`)).toMatchObject({
      status: 200,
      body: { decided_by: { user_id: carol.id, issued_by: [bob.id] } },
    });
    const { items } = (await of.call('GET', `/v1/audit-log?resource_id=${id}&action=approval.approved`)).body;
    expect(items).toMatchObject([{ actor_user_id: carol.id, after: { issued_by: [bob.id] } }]);
  });

  it.each(['auditor', 'agent', 'member'])('cannot have the role %s', async role => {
    const of = await office();
    const id = await of.pending();
    const as = await of.as(role);
    for (const verb of ['approve', 'deny', 'revoke']) {
      expect(await as('POST', `/v1/approvals/${id}/${verb}`)).toMatchObject({ status: 403 });
    }
    expect(await app.as(null)('POST', `/v1/approvals/${id}/approve`)).toMatchObject({ status: 401 });
  });
});

describe('concurrent approvers', () => {
  it('decide once: one of them succeeds, and the others get that decision', async () => {
    const of = await office();
    for (let round = 0; round < 5; round++) {
      const id = await of.pending({ model: `m${round}` });
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, at) => of.act(id, at % 2 ? 'approve' : 'deny', { reason: `${at}` })),
      );
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      for (const loser of answers.filter(answer => answer !== winner)) isConflict(loser, winner!.body.status);
      expect((await of.call('GET', `/v1/approvals/${id}`)).body).toEqual(winner!.body);
      expect(await of.ask({ model: `m${round}` })).toMatchObject({ allowed: winner!.body.status === 'approved' });
      expect(await entriesOf(of, id)).toMatchObject([
        { action: `approval.${winner!.body.status}` },
        { action: 'approval.requested' },
      ]);
    }
  });

  it('succeed before the request expires and fail afterwards, whichever replica records the expiry', async () => {
    const of = await office();
    const id = await of.pending();
    const late = await of.pending({ model: 'late' });
    app.clock.advance(3 * DAY_MS - 1);
    const [inTime] = await Promise.all([of.act(id, 'approve'), sweep()]);
    expect(inTime).toMatchObject({ status: 200, body: { status: 'approved' } });
    app.clock.advance(1);
    const [answer] = await Promise.all([of.act(late, 'approve'), sweep(), of.act(late, 'deny')]);
    isConflict(answer, 'expired');
    expect((await of.call('GET', `/v1/approvals/${late}`)).body).toMatchObject({ status: 'expired', decided_by: null });
  });

  it('leave one outcome if a decision asks at the same time', async () => {
    const of = await office();
    const id = await of.pending();
    const [answer, ...decisions] = await Promise.all([
      of.act(id, 'approve'),
      ...Array.from({ length: 20 }, () => of.ask()),
    ]);
    expect(answer.status).toBe(200);
    expect(await of.ask()).toMatchObject({ allowed: true });
    const refused = decisions.filter(decision => !decision.allowed);
    for (const decision of refused) expect(decision.approval_id).toEqual(expect.any(String));
    const { items } = (await of.call('GET', '/v1/approvals')).body;
    const asked = items.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0);
    expect(asked).toBe(refused.length + 1);
  });
});

describe('the audit log', () => {
  it('has each decision with its author and the previous state', async () => {
    const of = await office();
    const id = await of.granted({ reason: 'For now.' });
    await of.act(id, 'revoke', { reason: 'Done.' });
    const denied = await of.pending();
    await of.act(denied, 'deny');
    expect(await entriesOf(of, id)).toMatchObject([
      {
        action: 'approval.revoked',
        resource_type: 'approval',
        before: { status: 'approved', reason: 'For now.' },
        after: { status: 'revoked', reason: 'Done.' },
      },
      {
        action: 'approval.approved',
        before: { status: 'pending', user_id: of.ada, policy_id: of.policyId, model: 'gpt-4o' },
        after: { status: 'approved', reason: 'For now.', expires_at: inMs(48 * HOUR_MS) },
      },
      { action: 'approval.requested' },
    ]);
    expect(await entriesOf(of, denied)).toMatchObject([
      { action: 'approval.denied', after: { status: 'denied' } },
      { action: 'approval.requested' },
    ]);
  });

  it('names the decision that opened a request, once for repeated requests', async () => {
    const of = await office();
    const decision = await of.ask({ idempotency_key: 'k' });
    await of.ask({ idempotency_key: 'k' });
    await of.ask();
    expect(await entriesOf(of, decision.approval_id)).toMatchObject([
      {
        action: 'approval.requested',
        actor_name: 'decisions',
        resource_type: 'approval',
        before: null,
        after: {
          policy_id: of.policyId,
          policy_name: 'Ask first',
          user_id: of.ada,
          user_email: of.adaEmail,
          model: 'gpt-4o',
          status: 'pending',
          expires_at: inMs(3 * DAY_MS),
          decision_id: decision.id,
        },
      },
    ]);
  });

  it.each([
    ['a request', false, 'pending'],
    ['a grant', true, 'approved'],
  ])('has one entry that %s has expired, whichever replica noticed it', async (_what, isGranted, status) => {
    const of = await office();
    const swept = isGranted ? await of.granted() : await of.pending();
    const asked = isGranted ? await of.granted({}, { model: 'o3' }) : await of.pending({ model: 'o3' });
    app.clock.advance(3 * DAY_MS);
    await of.ask({ model: 'o3' });
    await sweep();
    await sweep();
    for (const id of [swept, asked]) {
      const [last, before] = await entriesOf(of, id);
      expect(last).toMatchObject({ action: 'approval.expired', before: { status }, after: { status: 'expired' } });
      expect(before.action).not.toBe('approval.expired');
    }
  });
});

describe('the list of approvals', () => {
  it('is filtered by user, policy and current status', async () => {
    const of = await office();
    const bob = await of.addUser('Bob');
    const ids: Record<string, string> = {};
    // Each approval has its own model. Approvals that will expire are created first.
    for (const [at, way] of Object.keys(WAYS).toReversed().entries()) {
      const named = {
        ...of,
        pending: () => of.pending({ model: `m${at}` }),
        granted: (body?: object) => of.granted(body, { model: `m${at}` }),
      };
      ids[way] = await WAYS[way]!(named);
    }
    const second = await of.addPolicy({ name: 'Another', model: 'other', conditions: { user_id: { eq: bob.id } } });
    await of.call('DELETE', `/v1/policies/${of.policyId}`);
    const bobs = await of.pending({ user_id: bob.id, model: 'other' });
    const list = async (query: string) =>
      (await of.call('GET', `/v1/approvals?${query}`)).body.items.map(({ id }: { id: string }) => id).toSorted();
    for (const swept of [false, true]) {
      if (swept) expect(await sweep()).toBeGreaterThanOrEqual(2);
      expect(await list('status=pending')).toEqual(both(ids['pending'], bobs));
      expect(await list('status=approved')).toEqual([ids['approved']]);
      expect(await list('status=denied')).toEqual([ids['denied']]);
      expect(await list('status=revoked')).toEqual([ids['revoked']]);
      expect(await list('status=expired')).toEqual(both(ids['expired unasked'], ids['expired after a grant']));
    }
    expect(await list(`user_id=${bob.id}`)).toEqual([bobs]);
    expect(await list(`user_id=${of.ada.toUpperCase()}`)).toHaveLength(6);
    expect(await list(`policy_id=${second}`)).toEqual([bobs]);
    expect(await list(`policy_id=${of.policyId}&status=pending&user_id=${of.ada}`)).toEqual([ids['pending']]);
    expect(await list('')).toHaveLength(7);
    for (const wrong of ['status=open', 'policy_id=x', 'user=x']) {
      expect((await of.call('GET', `/v1/approvals?${wrong}`)).status).toBe(400);
    }
  });

  it('shows members only their own approvals', async () => {
    const of = await office();
    const bob = await of.addUser('Bob');
    const mine = await of.pending();
    const theirs = await of.pending({ user_id: bob.id });
    const asAda = await of.as('member', of.ada);
    expect((await asAda('GET', '/v1/approvals')).body).toMatchObject({ items: [{ id: mine }], total_count: 1 });
    expect((await asAda('GET', `/v1/approvals?user_id=${of.ada}`)).body.items).toHaveLength(1);
    expect(await asAda('GET', `/v1/approvals?user_id=${bob.id}`)).toMatchObject({ status: 403 });
    expect(await asAda('GET', `/v1/approvals/${mine}`)).toMatchObject({ status: 200, body: { id: mine } });
    const hidden = await asAda('GET', `/v1/approvals/${theirs}`);
    expect(hidden).toMatchObject({ status: 404, body: { message: expect.stringContaining(theirs) } });
    const nobody = await of.as('member');
    expect(await nobody('GET', '/v1/approvals')).toMatchObject({ status: 403 });
    expect(await nobody('GET', `/v1/approvals/${mine}`)).toMatchObject({ status: 404 });
    const auditor = await of.as('auditor');
    expect((await auditor('GET', '/v1/approvals')).body.total_count).toBe(2);
    expect((await auditor('GET', `/v1/approvals/${theirs}`)).status).toBe(200);
    expect((await (await of.as('agent'))('GET', '/v1/approvals')).status).toBe(403);
  });
});
