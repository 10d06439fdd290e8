import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UserDirectory, type DirectoryUser, type UserReference } from '#core';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';

const people: DirectoryUser[] = [];

/** A directory that knows the users of this file in every organization. */
class TestDirectory extends UserDirectory {
  static down = false;

  override async find(_orgId: string, references: readonly UserReference[]): Promise<(DirectoryUser | undefined)[]> {
    if (TestDirectory.down) throw new Error('connection refused by 10.1.2.3');
    return references.map(({ user_id, user_email }) =>
      people.find(one => (user_id === undefined ? one.email === user_email?.toLowerCase() : one.id === user_id)),
    );
  }

  override async emails(): Promise<Map<string, string>> {
    return new Map();
  }

  override async recordActivity(): Promise<void> {}
}

function person(details: Partial<DirectoryUser>): DirectoryUser {
  const id = randomUUID();
  const user: DirectoryUser = {
    id,
    email: `${id}@example.com`,
    name: 'Ada',
    department: 'Sales',
    role: 'member',
    status: 'active',
    attributes: {},
    ...details,
  };
  people.push(user);
  return user;
}

let app: TestApp;
const ada = person({ attributes: { level: 3, clearance: 'low' } });
const suspended = person({ status: 'suspended' });
const inactive = person({ status: 'inactive' });
const MODEL = { model: 'gpt-4o', provider: 'openai' };

beforeAll(async () => {
  app = await startTestApp({ userDirectory: TestDirectory });
});

afterAll(() => app.close());

async function organization(...policies: object[]): Promise<{ orgId: string; call: Call; ids: string[] }> {
  const { orgId, call } = await app.addOrganization();
  const ids: string[] = [];
  for (const policy of policies) {
    app.clock.advance(1);
    const { status, body } = await call('POST', '/v1/policies', { name: 'p', ...policy });
    expect(status).toBe(201);
    ids.push(body.id);
  }
  return { orgId, call, ids };
}

const ask = async (call: Call, request: object = {}) =>
  (await call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL, ...request })).body;

describe('POST /v1/decisions', () => {
  it('answers 200 with exactly the fields of a decision', async () => {
    const { call, ids } = await organization({
      name: 'Research only',
      action: 'block',
      conditions: { department: { not_in: ['Research'] } },
    });
    const answer = await call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      action: 'block',
      allowed: false,
      reason: 'policy',
      policies: [
        {
          id: ids[0],
          name: 'Research only',
          action: 'block',
          version: 1,
          matched_conditions: [{ attribute: 'department', operator: 'not_in', operand: ['Research'], value: 'Sales' }],
        },
      ],
      evaluated_at: app.clock.now().toISOString(),
    });
  });

  it.each([
    ['allow', true],
    ['alert', true],
    ['require_approval', false],
    ['block', false],
  ])('takes the action %s: allowed is %s', async (action, allowed) => {
    const { call } = await organization({ action });
    expect(await ask(call)).toMatchObject({ action, allowed, reason: 'policy' });
  });

  it('allows if no policy matches', async () => {
    const { call } = await organization({ action: 'block', model: 'claude-*' });
    expect(await ask(call)).toMatchObject({
      action: 'allow',
      allowed: true,
      reason: 'no_policy_matched',
      policies: [],
    });
  });

  it('lists every matching policy, the winner first, whatever their order', async () => {
    const { call } = await organization(
      { action: 'allow' },
      { action: 'alert' },
      { action: 'block' },
      { action: 'require_approval' },
    );
    const { action, policies } = await ask(call);
    expect(action).toBe('block');
    expect(policies.map((policy: { action: string }) => policy.action)).toEqual([
      'block',
      'require_approval',
      'alert',
      'allow',
    ]);
  });

  it('matches a policy without a model for all models, and one with a model for that model', async () => {
    const { call } = await organization({ action: 'alert' }, { action: 'block', model: 'gpt-4o' });
    expect(await ask(call)).toMatchObject({ action: 'block' });
    expect(await ask(call, { model: 'gpt-4o-mini' })).toMatchObject({ action: 'alert' });
  });

  it('not_in matches when the attribute is not in the array', async () => {
    const { call } = await organization({
      action: 'block',
      conditions: { department: { not_in: ['Sales', 'Research'] } },
    });
    expect(await ask(call)).toMatchObject({ action: 'allow' });
    expect(await ask(call, { user_id: person({ department: 'Legal' }).id })).toMatchObject({ action: 'block' });
    expect(await ask(call, { user_id: person({ department: null }).id })).toMatchObject({ action: 'block' });
  });

  it('does not evaluate a disabled policy until it is enabled again', async () => {
    const { call, ids } = await organization({ action: 'block' });
    for (const enabled of [false, true, false]) {
      await call('PUT', `/v1/policies/${ids[0]}`, { enabled });
      expect(await ask(call)).toMatchObject({ allowed: !enabled });
    }
  });

  it('does not evaluate a policy that was created disabled', async () => {
    const { call } = await organization({ action: 'block', enabled: false });
    expect(await ask(call)).toMatchObject({ reason: 'no_policy_matched' });
  });

  it('uses a changed policy at once, and a deleted one no longer', async () => {
    const { call, ids } = await organization({ action: 'block' });
    expect(await ask(call)).toMatchObject({ action: 'block', policies: [{ version: 1 }] });
    await call('PUT', `/v1/policies/${ids[0]}`, { action: 'alert' });
    expect(await ask(call)).toMatchObject({ action: 'alert', policies: [{ version: 2 }] });
    await call('DELETE', `/v1/policies/${ids[0]}`);
    expect(await ask(call)).toMatchObject({ reason: 'no_policy_matched' });
  });

  it('ignores the policies of other organizations', async () => {
    await organization({ action: 'block' });
    const { call } = await organization();
    expect(await ask(call)).toMatchObject({ allowed: true });
  });

  it('finds the user by email address, ignoring case', async () => {
    const { call } = await organization({ action: 'block', conditions: { user_id: { eq: ada.id } } });
    expect(await ask(call, { user_id: undefined, user_email: ada.email.toUpperCase() })).toMatchObject({
      action: 'block',
    });
  });

  it.each([
    ['suspended', () => suspended.id, 'user_suspended'],
    ['inactive', () => inactive.id, 'user_inactive'],
    ['unknown', () => randomUUID(), 'unknown_user'],
  ])('blocks a user who is %s without evaluating policies', async (_status, id, reason) => {
    const { call } = await organization({ action: 'allow' });
    expect(await ask(call, { user_id: id() })).toMatchObject({ action: 'block', allowed: false, reason, policies: [] });
  });

  it('accepts additional attributes in requests, but never overrides those of the directory', async () => {
    const { call } = await organization(
      { name: 'claimed', action: 'alert', conditions: { 'attributes.project': { eq: 'apollo' } } },
      { name: 'low', action: 'block', conditions: { 'attributes.clearance': { eq: 'low' } } },
    );
    const { policies } = await ask(call, { attributes: { project: 'apollo', clearance: 'high' } });
    expect(policies.map((policy: { name: string }) => policy.name)).toEqual(['low', 'claimed']);
  });

  it('leaves long operands out of the answer', async () => {
    const departments = Array.from({ length: 101 }, (_, at) => `d${at}`);
    const { call } = await organization({ action: 'block', conditions: { department: { not_in: departments } } });
    expect((await ask(call)).policies[0].matched_conditions).toEqual([
      { attribute: 'department', operator: 'not_in', value: 'Sales' },
    ]);
  });

  it('leaves operands with much text out of the answer, the record and the incident', async () => {
    const departments = Array.from({ length: 100 }, (_, at) => String(at).padStart(994, '-'));
    const { call } = await organization({ action: 'block', conditions: { department: { not_in: departments } } });
    const shown = [{ attribute: 'department', operator: 'not_in', value: 'Sales' }];
    const { id, policies } = await ask(call);
    expect(policies[0].matched_conditions).toEqual(shown);
    expect((await call('GET', `/v1/decisions/${id}`)).body.policies[0].matched_conditions).toEqual(shown);
    const { items } = (await call('GET', '/v1/incidents')).body;
    expect((await call('GET', `/v1/incidents/${items[0].id}`)).body.details.matched_conditions).toEqual(shown);
  });

  it('answers 503 and not "unknown user" if the directory is unreachable', async () => {
    const { call } = await organization();
    TestDirectory.down = true;
    try {
      const answer = await call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL });
      expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
      expect(answer.text).not.toContain('10.1.2.3');
    } finally {
      TestDirectory.down = false;
    }
  });

  it('names every invalid field', async () => {
    const answer = await app.call('POST', '/v1/decisions', {
      user_id: 'x',
      model: '',
      attributes: { a: [] },
      extra: 1,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.details.map((detail: { field: string }) => detail.field).sort()).toEqual([
      'attributes.a',
      'extra',
      'model',
      'provider',
      'user_id',
    ]);
  });

  it('needs decisions:write, and is not subject to the request limit', async () => {
    const limited = await startTestApp({ userDirectory: TestDirectory, requestsPerMinute: 1 });
    try {
      const agent = await limited.addToken('agent');
      for (let at = 0; at < 3; at++) {
        expect((await agent.call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL })).status).toBe(200);
      }
      const auditor = await limited.addToken('auditor');
      expect((await auditor.call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL })).status).toBe(403);
      expect((await limited.as(null)('POST', '/v1/decisions', {})).status).toBe(401);
    } finally {
      await limited.close();
    }
  });
});

describe('options of decisions', () => {
  it('can set the default action, and evaluate users unknown to the directory', async () => {
    const other = await startTestApp({
      userDirectory: TestDirectory,
      decisions: { defaultAction: 'require_approval', unknownUser: 'evaluate' },
    });
    try {
      await other.call('POST', '/v1/policies', {
        name: 'p',
        action: 'alert',
        conditions: { email_domain: { eq: 'partner.example' }, 'attributes.team': { eq: 'red' } },
      });
      const guest = { ...MODEL, user_email: 'bob@partner.example' };
      expect((await other.call('POST', '/v1/decisions', { ...guest, attributes: { team: 'red' } })).body).toMatchObject(
        {
          action: 'alert',
          reason: 'policy',
        },
      );
      expect((await other.call('POST', '/v1/decisions', guest)).body).toMatchObject({
        action: 'require_approval',
        allowed: false,
        reason: 'no_policy_matched',
      });
    } finally {
      await other.close();
    }
  });
});

describe('POST /v1/decisions/batch', () => {
  it('answers each request at its index', async () => {
    const { call } = await organization({ action: 'block', model: 'b' });
    const requests = ['a', 'b', 'c'].map(model => ({ user_id: ada.id, provider: 'x', model }));
    const { status, body } = await call('POST', '/v1/decisions/batch', { requests });
    expect(status).toBe(200);
    expect(body.decisions.map((decision: { action: string }) => decision.action)).toEqual(['allow', 'block', 'allow']);
  });

  it('accepts 1 to 100 requests and names the invalid entry', async () => {
    const one = { user_id: ada.id, ...MODEL };
    const send = (requests: unknown) => app.call('POST', '/v1/decisions/batch', { requests });
    expect((await send(Array.from({ length: 100 }, () => one))).body.decisions).toHaveLength(100);
    expect((await send(Array.from({ length: 101 }, () => one))).status).toBe(400);
    expect((await send([])).status).toBe(400);
    expect((await send([one, { ...one, model: 5 }, 'x'])).body.details).toEqual([
      { field: 'requests[1].model', message: 'must be a text' },
      { field: 'requests[2]', message: 'must be a JSON object' },
    ]);
  });
});

describe('an idempotency key', () => {
  it('has one decision, however often it is sent and whatever has changed', async () => {
    const { call, ids } = await organization({ action: 'block', conditions: { role: { in: ['member'] } } });
    const request = { idempotency_key: 'k1', attributes: { a: 1, b: null } };
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(call, request)));
    await call('DELETE', `/v1/policies/${ids[0]}`);
    answers.push(await ask(call, request));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ action: 'block' });
    expect((await call('GET', '/v1/decisions')).body.total_count).toBe(1);
  });

  it('counts within its organization only', async () => {
    const first = await organization();
    const second = await organization();
    const a = await ask(first.call, { idempotency_key: 'k' });
    const b = await ask(second.call, { idempotency_key: 'k' });
    expect(a.id).not.toBe(b.id);
  });

  it('is refused with 409 for another request', async () => {
    const { call } = await organization();
    await ask(call, { idempotency_key: 'k' });
    const answer = await call('POST', '/v1/decisions', { user_id: suspended.id, ...MODEL, idempotency_key: 'k' });
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } });
  });

  it('with two different requests in one batch, or with another request than before, makes the whole batch fail', async () => {
    const { call } = await organization();
    const plain = { user_id: ada.id, ...MODEL };
    const send = (...requests: object[]) => call('POST', '/v1/decisions/batch', { requests });
    const count = async () => (await call('GET', '/v1/decisions')).body.total_count;
    const keyed = { ...plain, idempotency_key: 'k' };
    expect(await send(plain, keyed, { ...keyed, model: 'other' })).toMatchObject({ status: 409 });
    expect(await count()).toBe(0);
    await ask(call, { idempotency_key: 'k' });
    const other = await send(plain, { ...plain, idempotency_key: 'new' }, { ...keyed, model: 'other' });
    expect(other).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await count()).toBe(1);
  });

  it('that occurs in a batch many times is decided once, also if it was used before', async () => {
    const { call } = await organization();
    const keyed = { user_id: ada.id, ...MODEL, idempotency_key: 'k' };
    const plain = { user_id: ada.id, ...MODEL };
    const send = async (...requests: object[]) =>
      (await call('POST', '/v1/decisions/batch', { requests })).body.decisions.map(({ id }: { id: string }) => id);
    const ids = await send(...Array.from({ length: 99 }, () => keyed), plain);
    expect([new Set(ids).size, new Set(ids.slice(0, 99)).size]).toEqual([2, 1]);
    expect((await call('GET', '/v1/decisions')).body.total_count).toBe(2);
    const again = await send(plain, keyed, { ...keyed, idempotency_key: 'new' });
    expect(again[1]).toBe(ids[0]);
    expect(new Set([...ids, ...again]).size).toBe(4);
    expect((await call('GET', '/v1/decisions')).body.total_count).toBe(4);
  });
});

describe('the record of a decision', () => {
  it('shows the decision at once, with its inputs', async () => {
    const { call, orgId } = await organization({ action: 'alert', conditions: { department: { in: ['Sales'] } } });
    const decision = await ask(call, { attributes: { project: 'apollo' } });
    const { status, body } = await call('GET', `/v1/decisions/${decision.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...decision,
      org_id: orgId,
      user_id: ada.id,
      user_email: ada.email,
      ...MODEL,
      attributes: {
        name: 'Ada',
        department: 'Sales',
        role: 'member',
        status: 'active',
        attributes: { level: 3, clearance: 'low', project: 'apollo' },
      },
      idempotency_key: null,
      sample_rate: 1,
    });
  });

  it('is 404 to another organization and for an unknown id', async () => {
    const { call } = await organization();
    const { id } = await ask(call);
    expect((await app.call('GET', `/v1/decisions/${id}`)).status).toBe(404);
    expect((await call('GET', `/v1/decisions/${randomUUID()}`)).status).toBe(404);
    expect((await call('GET', '/v1/decisions/nonsense')).status).toBe(404);
  });

  it('is listed newest first, with cursors, and filtered by user, outcome and model', async () => {
    const { call } = await organization({ action: 'block', model: 'm1' });
    const bob = person({});
    const made: { id: string; user: string; model: string }[] = [];
    for (let at = 0; at < 6; at++) {
      const user = at % 2 ? bob.id : ada.id;
      const model = at % 3 ? 'm1' : 'm2';
      made.unshift({ id: (await ask(call, { user_id: user, model })).id, user, model });
    }
    const list = async (query: string): Promise<string[]> =>
      (await call('GET', `/v1/decisions?${query}`)).body.items.map((item: { id: string }) => item.id);
    const ids = (keep: (entry: (typeof made)[0]) => boolean) => made.filter(keep).map(entry => entry.id);
    expect(await list('')).toEqual(ids(() => true));
    expect(await list(`user_id=${bob.id}`)).toEqual(ids(entry => entry.user === bob.id));
    expect(await list('action=block')).toEqual(ids(entry => entry.model === 'm1'));
    expect(await list('model=m2')).toEqual(ids(entry => entry.model === 'm2'));
    const { next_cursor: cursor } = (await call('GET', '/v1/decisions?limit=4')).body;
    expect(await list(`limit=4&cursor=${encodeURIComponent(cursor)}`)).toEqual(ids(() => true).slice(4));
    expect((await call('GET', `/v1/decisions?model=m2&cursor=${encodeURIComponent(cursor)}`)).status).toBe(400);
    expect((await call('GET', '/v1/decisions?action=deny')).status).toBe(400);
  });

  it('is written before the process ends', async () => {
    const other = await startTestApp({ userDirectory: TestDirectory, testDatabase: app.database });
    await other.call('POST', '/v1/decisions', { user_id: ada.id, ...MODEL });
    await other.close();
    expect(
      await app.database.asOwner('select 1 from governance.decisions where org_id = $1', [other.orgId]),
    ).toHaveLength(1);
  });

  it('cannot be changed or deleted by the app itself', async () => {
    const rights = await app.database.asOwner<{ right: string }>(
      `select privilege_type as right from information_schema.role_table_grants
       where table_schema = 'governance' and table_name = 'decisions' and grantee = 'governance_app'`,
    );
    expect(rights.map(({ right }) => right).sort()).toEqual(['INSERT', 'SELECT']);
  });
});
