import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { TokenService } from '#access';
import { createOpenApiDocument } from '#governance';
import type { ConditionOperator } from '#policy';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { openPolicyOrganization } from './policy-history.support.js';

/** An operator that an installation removes later. */
class Under implements ConditionOperator<string> {
  readonly name = 'under';
  validateOperand = (operand: unknown) => (typeof operand === 'string' ? undefined : 'must be a text');
  compile = (operand: string) => (value: unknown) => typeof value === 'string' && value.startsWith(operand);
  matchesMissing = () => false;
}

let app: TestApp;
/** A replica that evaluates unknown users, and has another default action. */
let strict: TestApp;

beforeAll(async () => {
  app = await startTestApp();
  const decisions = { defaultAction: 'require_approval', unknownUser: 'evaluate' } as const;
  strict = await startTestApp({ decisions, testDatabase: app.database });
});

afterAll(async () => {
  await strict?.close();
  await app?.close();
});

const openOrganization = () => openPolicyOrganization(app);

describe('a decision whose policy was changed three times and deleted, and whose user moved to another department', () => {
  it('is explained as it was, word for word', async () => {
    const { call, add, put, remove, restore, addUser, ask, explain } = await openOrganization();
    const user = await addUser({ department: 'Sales' });
    const long = Array.from({ length: 150 }, (_, at) => `Department ${at}`);
    const policy = await add({ name: 'Old name', model: 'gpt-4*', conditions: { role: { eq: 'nobody' } } });
    app.clock.advance(60_000);
    const second = await put(policy.id, {
      name: 'No GPT-4 in Sales',
      conditions: { department: { in: ['Sales', ...long], not_eq: 'Legal' }, role: { exists: true } },
    });
    const other = await add({ name: 'Claude only', action: 'alert', model: 'claude-*' });
    const contractors = await add({ action: 'require_approval', conditions: { department: { in: ['Contractors'] } } });
    await add({ name: 'Switched off', enabled: false });
    const decision = await ask({ user_id: user.id });
    expect(decision).toMatchObject({ action: 'block', policies: [{ version: 2 }] });

    const before = await explain(decision.id);
    expect(before).toEqual({
      decision_id: decision.id,
      summary:
        'Ada Lovelace was refused gpt-4o of openai: the policy “No GPT-4 in Sales” (version 2) blocks it, because ' +
        'role is there (it was “member”), department is one of “Sales”, “Department 0”, “Department 1”, ' +
        '“Department 2”, “Department 3” or 146 more (it was “Sales”) and department is not “Legal” (it was “Sales”).',
      complete: true,
      as_it_was: {
        evaluated_at: decision.evaluated_at,
        provider: 'openai',
        model: 'gpt-4o',
        action: 'block',
        allowed: false,
        reason: 'policy',
        decided_by: 'policy',
        winner: { id: policy.id, version: 2 },
        person: {
          user_id: user.id,
          email: user.email,
          name: 'Ada Lovelace',
          department: 'Sales',
          role: 'member',
          status: 'active',
          attributes: {},
        },
        device: null,
        policies: [
          {
            id: policy.id,
            name: 'No GPT-4 in Sales',
            action: 'block',
            version: 2,
            content: {
              name: 'No GPT-4 in Sales',
              description: null,
              model: 'gpt-4*',
              action: 'block',
              conditions: second.conditions,
              enabled: true,
              severity: 'high',
            },
            conditions: expect.arrayContaining([
              { attribute: 'department', operator: 'in', operand: ['Sales', ...long], value: 'Sales', held: true },
              { attribute: 'department', operator: 'not_eq', operand: 'Legal', value: 'Sales', held: true },
              { attribute: 'role', operator: 'exists', operand: true, value: 'member', held: true },
            ]),
            change: 'updated',
            changed_at: second.updated_at,
            changed_by: { kind: 'token', id: expect.any(String), name: 'test admin', user_id: null },
          },
        ],
        policies_total: 1,
        not_matched: {
          total: 2,
          items: [
            {
              id: contractors.id,
              name: 'Research only',
              action: 'require_approval',
              version: 1,
              because: 'condition',
              message: 'It requires that department is one of “Contractors”; it was “Sales”.',
              condition: { attribute: 'department', operator: 'in', operand: ['Contractors'], value: 'Sales' },
            },
            {
              id: other.id,
              name: 'Claude only',
              action: 'alert',
              version: 1,
              because: 'model',
              message: 'It is for claude-*, not for gpt-4o.',
            },
          ],
        },
      },
      since: {
        policies: [
          {
            id: policy.id,
            status: 'unchanged',
            version: 2,
            in_force: true,
            changed_at: second.updated_at,
            changed_by: expect.objectContaining({ name: 'test admin' }),
          },
        ],
        person: { ...before.as_it_was.person, changed: [] },
        approvals: [],
      },
    });
    expect(before.as_it_was.policies[0].conditions).toHaveLength(3);

    app.clock.advance(60_000);
    await put(policy.id, { conditions: {} });
    await put(policy.id, { action: 'allow', name: 'Anything goes' });
    await put(policy.id, { enabled: false });
    await put(contractors.id, { conditions: {} });
    await remove(other.id);
    await add({ name: 'Later' });
    await call('PUT', `/v1/users/${user.id}`, { department: 'Research', name: 'Ada King' });
    const after = await explain(decision.id);
    expect(JSON.stringify(after.as_it_was)).toBe(JSON.stringify(before.as_it_was));
    expect([after.summary, after.complete]).toEqual([before.summary, true]);
    expect(after.since).toMatchObject({
      policies: [{ id: policy.id, status: 'changed', version: 5, in_force: false }],
      person: { department: 'Research', name: 'Ada King', changed: ['name', 'department'] },
    });

    await remove(policy.id);
    const last = await explain(decision.id);
    expect(JSON.stringify(last.as_it_was)).toBe(JSON.stringify(before.as_it_was));
    expect(last.since.policies).toMatchObject([{ status: 'deleted', version: 6, in_force: false }]);

    await restore(policy.id, 2);
    expect((await explain(decision.id)).since.policies).toMatchObject([
      { status: 'changed', version: 7, in_force: true },
    ]);
    expect(JSON.stringify((await explain(decision.id)).as_it_was)).toBe(JSON.stringify(before.as_it_was));
  });
});

describe('an explanation', () => {
  it('says which of several matching policies won, and why', async () => {
    const { add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    const first = await add({ name: 'Watch', action: 'alert' });
    await add({ name: 'Free', action: 'allow' });
    const blocking = await add({ name: 'Stop', action: 'block' });
    const { summary, as_it_was: was } = await explain((await ask({ user_id })).id);
    expect(was.winner).toEqual({ id: blocking.id, version: 1 });
    expect(was.policies.map(({ name }: { name: string }) => name)).toEqual(['Stop', 'Watch', 'Free']);
    expect(summary).toBe(
      'Ada Lovelace was refused gpt-4o of openai: the policy “Stop” (version 1) blocks it, because it applies to every person; ' +
        '2 other policies matched, too, and block wins over alert and allow.',
    );
    expect(first.id).toBe(was.policies[1].id);
  });

  it('says that nothing matched, and that the default action applied', async () => {
    const { add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    const alone = await explain((await ask({ user_id })).id);
    expect(alone).toMatchObject({
      summary:
        'Ada Lovelace was allowed to use gpt-4o of openai: no policy was in force, and the default action is allow.',
      complete: true,
      as_it_was: { decided_by: 'default_action', winner: null, policies: [], not_matched: { total: 0, items: [] } },
      since: { policies: [] },
    });
    await add({ model: 'other' });
    await add({ conditions: { department: { exists: true } } });
    const { summary, as_it_was: was } = await explain((await ask({ user_id })).id);
    expect(summary).toContain('none of the 2 policies in force matched, and the default action is allow');
    expect(was.not_matched.items.map(({ because }: { because: string }) => because)).toEqual(['model', 'condition']);
    expect(was.not_matched.items[1].message).toBe('It requires that department is there; it was missing.');
  });

  it('names another default action, and evaluates unknown users by the request', async () => {
    const { add, ask, explain } = await openPolicyOrganization(strict);
    await add({ action: 'block', conditions: { user_id: { not_in: ['Gast-7'] }, 'attributes.team': { eq: 'red' } } });
    const asked = await ask({ user_email: 'Bob@Partner.example', attributes: { team: 'blue' } });
    expect(await explain(asked.id)).toMatchObject({
      summary: expect.stringMatching(
        /^Bob@Partner.example needs an approval .* the default action is require_approval\.$/,
      ),
      as_it_was: {
        decided_by: 'default_action',
        person: { user_id: null, email: 'Bob@Partner.example', status: null, attributes: { team: 'blue' } },
        not_matched: { items: [{ because: 'condition', condition: { value: 'blue' } }] },
      },
      since: { person: null },
    });
  });

  it('keeps the case of an id in conditions', async () => {
    const { add, ask, explain } = await openPolicyOrganization(strict);
    const user_id = randomUUID().toUpperCase();
    await add({ conditions: { user_id: { not_in: [user_id] } } });
    const { as_it_was: was } = await explain((await ask({ user_id })).id);
    expect(was).toMatchObject({
      person: { user_id },
      not_matched: { items: [{ because: 'condition', condition: { value: user_id } }] },
    });
  });

  it.each([
    ['suspended', 'user_suspended', 'they were suspended'],
    ['inactive', 'user_inactive', 'their status was “inactive”'],
  ])('says that no policy was evaluated for a user who is %s', async (status, reason, words) => {
    const { call, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    await add({ action: 'allow' });
    if (status === 'suspended') await call('POST', `/v1/users/${user_id}/offboard`);
    else await call('PUT', `/v1/users/${user_id}`, { status });
    const { summary, complete, as_it_was: was } = await explain((await ask({ user_id })).id);
    expect(summary).toContain(words);
    expect([complete, was.reason]).toEqual([true, reason]);
    expect(was).toMatchObject({ decided_by: 'person', winner: null, policies: [], not_matched: null });
  });

  it('says that the requester was unknown', async () => {
    const { ask, explain } = await openOrganization();
    const user_id = randomUUID();
    expect(await explain((await ask({ user_id })).id)).toMatchObject({
      summary: `${user_id} was refused gpt-4o of openai: the directory did not know them, and unknown people are refused before any policy is evaluated.`,
      as_it_was: { decided_by: 'person', reason: 'unknown_user', person: { user_id, status: null } },
      since: { person: null },
    });
  });

  it('shows the required approval, and the one that allowed the request, even after its revocation', async () => {
    const { call, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    await add({ name: 'Ask first', action: 'require_approval' });
    const refused = await ask({ user_id });
    expect(await explain(refused.id)).toMatchObject({
      summary: expect.stringContaining('needs an approval to use gpt-4o of openai: the policy “Ask first” (version 1)'),
      as_it_was: { decided_by: 'policy', approval_id: refused.approval_id },
      since: { approvals: [{ id: refused.approval_id, status: 'pending' }] },
    });
    await call('POST', `/v1/approvals/${refused.approval_id}/approve`, { reason: 'For the migration.' });
    app.clock.advance(1_000);
    const allowed = await ask({ user_id });
    const granted = await explain(allowed.id);
    expect(granted).toMatchObject({
      summary: expect.stringMatching(/^Ada Lovelace was allowed .* requires an approval, which had been granted\.$/),
      as_it_was: { decided_by: 'approval', winner: null, reason: 'approval_granted' },
      since: { approvals: [{ id: refused.approval_id, status: 'approved', reason: 'For the migration.' }] },
    });
    app.clock.advance(1_000);
    await call('POST', `/v1/approvals/${refused.approval_id}/revoke`);
    const revoked = await explain(allowed.id);
    expect(revoked.as_it_was).toEqual(granted.as_it_was);
    expect(revoked.since.approvals).toMatchObject([{ id: refused.approval_id, status: 'revoked' }]);
    expect((await explain(refused.id)).since.approvals).toMatchObject([{ status: 'revoked' }]);
  });

  it.each([
    ['requested in the same millisecond, and granted later', 0, ['approve']],
    ['requested later, and revoked since', 1_000, ['approve', 'revoke']],
  ])('shows the grant that allowed the request, and not one that was %s', async (_what, milliseconds, verbs) => {
    const { call, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    await add({ name: 'Ask first', action: 'require_approval' });
    const pending = async (): Promise<string> => (await ask({ user_id })).approval_id;
    const act = (id: string, verb: string) => call('POST', `/v1/approvals/${id}/${verb}`);
    const grant = await pending();
    await act(grant, 'approve');
    app.clock.advance(1_000);
    const allowed = await ask({ user_id });
    await act(grant, 'revoke');
    app.clock.advance(milliseconds);
    const other = await pending();
    app.clock.advance(1_000);
    for (const verb of verbs) expect((await act(other, verb)).status).toBe(200);
    expect(other).not.toBe(grant);
    expect((await explain(allowed.id)).since.approvals).toMatchObject([{ id: grant }]);
  });

  it('shows the reservations in budgets, and which were used up', async () => {
    const { call, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    const budget = { scope: 'organization', period: 'monthly', enforcement: 'block' };
    const roomy = { name: 'Roomy', amount_usd: 1000, ...budget };
    const { id } = (await call('POST', '/v1/budgets', roomy)).body;
    const held = await ask({ user_id });
    expect((await explain(held.id)).as_it_was.reservation).toEqual(held.reservation);
    await call('PATCH', `/v1/budgets/${id}`, { name: 'Tight', amount_usd: 0.000001 });
    const refused = await ask({ user_id, estimated_input_tokens: 1_000_000 });
    expect(await explain(refused.id)).toMatchObject({
      summary: 'Ada Lovelace was refused gpt-4o of openai: the budget “Tight” would be exceeded.',
      as_it_was: { decided_by: 'budget', winner: null, budgets: [{ id, name: 'Tight' }] },
    });
  });

  it('shows policies whose operator was removed, from the record and the history', async () => {
    const before = await startTestApp({ testDatabase: app.database, conditionOperators: [Under] });
    const made = await openPolicyOrganization(before);
    const { id: user_id } = await made.addUser({ department: 'Sales/EMEA' });
    await made.add({ name: 'EMEA', conditions: { department: { under: 'Sales' } } });
    await made.add({ name: 'APAC', action: 'alert', conditions: { department: { under: 'Asia' } } });
    const decision = await made.ask({ user_id });
    const known = await made.explain(decision.id);
    await before.close();
    const { token } = await app.app.get(TokenService).issue(made.orgId, { name: 'later', role: 'admin', userId: null });
    const after = (await app.as(token)('GET', `/v1/decisions/${decision.id}/explanation`)).body;
    expect(known.as_it_was.not_matched.items[0]).toMatchObject({ because: 'condition', name: 'APAC' });
    expect(after.as_it_was.policies).toEqual(known.as_it_was.policies);
    expect(after.as_it_was.policies[0].conditions).toEqual([
      { attribute: 'department', operator: 'under', operand: 'Sales', value: 'Sales/EMEA', held: true },
    ]);
    expect([after.summary, after.complete]).toEqual([known.summary, true]);
    expect(after.as_it_was.not_matched.items[0]).toMatchObject({ because: 'not_evaluable', name: 'APAC' });

    // A condition that could not be evaluated is not shown as failed.
    const call = app.as(token);
    await call('POST', '/v1/policies', { name: 'Stop', action: 'block' });
    const later = (await call('POST', '/v1/decisions', { user_id, provider: 'p', model: 'm' })).body;
    expect(later).toMatchObject({ action: 'block', policies: [{ name: 'Stop' }] });
    const again = await startTestApp({ testDatabase: app.database, conditionOperators: [Under] });
    const { as_it_was: was } = (await again.as(token)('GET', `/v1/decisions/${later.id}/explanation`)).body;
    await again.close();
    expect(was.not_matched.items.map(({ name, because }: Record<string, string>) => [name, because])).toEqual([
      ['EMEA', 'not_recorded'],
      ['APAC', 'condition'],
    ]);
  });

  it('says what it knows, and that this is incomplete, for a decision from before the history', async () => {
    const { orgId, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser({ department: 'Sales' });
    const long = Array.from({ length: 101 }, (_, at) => `d${at}`);
    const { id } = await add({ conditions: { department: { not_in: long }, role: { eq: 'member' } } });
    const decision = await ask({ user_id });
    await explain(decision.id);
    const forget = `update governance.decisions set policy_revision = null where org_id = $1`;
    await app.database.asOwner(forget, [orgId]);
    expect(await explain(decision.id)).toMatchObject({
      complete: false,
      as_it_was: { policies: [{ id, content: { name: 'Research only' } }], not_matched: null },
    });
    await app.database.asOwner('delete from governance.policy_versions where org_id = $1', [orgId]);
    const bare = await explain(decision.id);
    expect(bare).toMatchObject({
      complete: false,
      as_it_was: {
        winner: { id, version: 1 },
        policies: [{ id, name: 'Research only', version: 1, content: null, change: null, changed_by: null }],
        not_matched: null,
      },
      since: { policies: [{ id, status: 'unknown', version: null }] },
    });
    expect(bare.as_it_was.policies[0].conditions).toEqual(
      expect.arrayContaining([
        { attribute: 'department', operator: 'not_in', value: 'Sales', held: true },
        { attribute: 'role', operator: 'eq', operand: 'member', value: 'member', held: true },
      ]),
    );
    expect(bare.summary).toContain('department was “Sales”');
  });

  it('shows the first hundred policies of each kind, and counts all of them', async () => {
    const { orgId, call, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser();
    await add({ action: 'allow', model: 'another' });
    // Inserts the policies by SQL, because the service would create them one by one.
    const many = `select $1::uuid as org_id, gen_random_uuid() as policy_id, 'p' || n as name, n,
      case when n % 2 = 0 then 'allow' else 'alert' end as action, case when n < 105 then 'gpt-4o' else 'other' end as model,
      timestamptz '2026-01-01' + n * interval '1 second' as at from generate_series(0, 208) n`;
    await app.database.asOwner(
      `with many as (${many}), policies as (
         insert into governance.policies (org_id, id, name, action, model, created_at, updated_at)
         select org_id, policy_id, name, action, model, at, at from many)
       insert into governance.policy_versions (org_id, policy_id, version, revision, change, changed_fields, content,
         policy_created_at, changed_at, changed_by)
       select org_id, policy_id, 1, 1, 'created', '{}', jsonb_build_object('name', name, 'action', action, 'model', model,
         'conditions', '{}'::jsonb, 'enabled', true), at, at, '{}' from many`,
      [orgId],
    );
    const { id } = await ask({ user_id });
    const { as_it_was: was, since, complete } = await explain(id);
    expect(complete).toBe(true);
    expect([was.policies.length, was.policies_total, since.policies.length]).toEqual([100, 105, 100]);
    expect([was.not_matched.items.length, was.not_matched.total]).toEqual([100, 105]);
    const recorded = (await call('GET', `/v1/decisions/${id}`)).body.policies;
    const names = (policies: { name: string }[]) => policies.map(({ name }) => name);
    expect(names(was.policies)).toEqual(names(recorded).slice(0, 100));
    const places = Array.from({ length: 104 }, (_, at) => 105 + at);
    const others = [...places.filter(n => n % 2 === 1), ...places.filter(n => n % 2 === 0)].map(n => `p${n}`);
    expect(names(was.not_matched.items)).toEqual(others.slice(0, 100));
  });
});

describe('the API reference', () => {
  it('describes every explanation, those with all parts and those with the fewest', async () => {
    const { orgId, call, add, addUser, ask, explain } = await openOrganization();
    const { id: user_id } = await addUser({ department: 'Sales' });
    await add({ action: 'require_approval', conditions: { department: { eq: 'Sales' } } });
    await add({ conditions: { department: { eq: 'Legal' } } });
    const waiting = await ask({ user_id });
    const limits = { scope: 'organization', period: 'daily', enforcement: 'block', amount_usd: 0.000001 };
    await call('POST', '/v1/budgets', { name: 'None', ...limits });
    await call('POST', `/v1/approvals/${waiting.approval_id}/approve`);
    const answers = [await explain(waiting.id), await explain((await ask({ user_id })).id)];
    answers.push(await explain((await ask({ user_id: randomUUID() })).id));
    await app.database.asOwner('delete from governance.policy_versions where org_id = $1', [orgId]);
    answers.push(await explain(waiting.id));

    const { components } = JSON.parse(JSON.stringify(createOpenApiDocument(app.app))) as { components: object };
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components });
    const validate = ajv.compile({ $ref: 'document#/components/schemas/GovernanceExplanationDto' });
    for (const answer of answers)
      expect({ valid: validate(answer), errors: validate.errors }).toMatchObject({ valid: true });
    expect(answers.map(({ as_it_was: was }) => was.decided_by)).toEqual(['policy', 'budget', 'person', 'policy']);
  });
});

describe('access to explanations', () => {
  it('is 404 for an unknown decision, and for other organizations', async () => {
    const { call, ask } = await openOrganization();
    const { id } = await ask({ user_id: randomUUID() });
    expect((await app.call('GET', `/v1/decisions/${id}/explanation`)).status).toBe(404);
    for (const missing of [randomUUID(), 'nonsense']) {
      const answer = await call('GET', `/v1/decisions/${missing}/explanation`);
      expect(answer).toMatchObject({ status: 404, body: { error: 'not_found' } });
    }
  });

  it('needs every scope for the shown data', async () => {
    const { id } = (await app.call('POST', '/v1/decisions', { user_id: randomUUID(), provider: 'p', model: 'm' })).body;
    const path = `/v1/decisions/${id}/explanation`;
    expect((await app.as(null)('GET', path)).status).toBe(401);
    expect((await (await app.addToken('auditor')).call('GET', path)).status).toBe(200);
    expect((await (await app.addToken('agent')).call('GET', path)).status).toBe(403);
    expect((await (await app.addToken('member')).call('GET', path)).status).toBe(403);
    const scopes = ['decisions:read', 'policies:read', 'approvals:read', 'users:read'];
    const narrowed = async (kept: string[]) => {
      const { body } = await app.call('POST', '/v1/tokens', { name: 'n', role: 'auditor', scopes: kept });
      return app.as(body.token)('GET', path);
    };
    expect((await narrowed(scopes)).status).toBe(200);
    for (const scope of scopes) {
      expect(await narrowed(scopes.filter(kept => kept !== scope))).toMatchObject({
        status: 403,
        body: { error: 'forbidden', message: expect.stringContaining(scope) },
      });
    }
  });
});
