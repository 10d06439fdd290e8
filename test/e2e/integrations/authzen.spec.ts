import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { addBudget, openShop } from '../spend.support.js';

const EVALUATION = '/access/v1/evaluation';
const EVALUATIONS = '/access/v1/evaluations';
const GPT = { type: 'model', id: 'gpt-4o', properties: { provider: 'openai' } };
const BLOCKED = { ...GPT, id: 'gpt-blocked' };
const INVOKE = { name: 'invoke' };

describe('access evaluations of AuthZEN', () => {
  let app: TestApp;
  let call: Call;
  let ada: string;
  let subject: { type: string; id: string };

  beforeAll(async () => {
    app = await startTestApp();
  });
  beforeEach(async () => {
    ({ call } = await app.addOrganization());
    ada = (await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada', department: 'Sales' })).body.id;
    subject = { type: 'user', id: 'ada@example.com' };
  });
  afterAll(() => app?.close());

  const policy = async (fields: object): Promise<string> => {
    const answer = await call('POST', '/v1/policies', { name: 'Research only', action: 'block', ...fields });
    expect(answer.status).toBe(201);
    return answer.body.id;
  };
  const recorded = (id: string): Promise<Answer['body']> =>
    until(async () => {
      const { status, body } = await call('GET', `/v1/decisions/${id}`);
      return status === 200 && body;
    });
  const decisions = async (): Promise<number> => (await call('GET', '/v1/decisions?limit=100')).body.items.length;

  it('are described by public metadata that name only what is served', async () => {
    const answer = await app.as(null)('GET', '/.well-known/authzen-configuration');
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.body).toEqual({
      policy_decision_point: app.url,
      access_evaluation_endpoint: app.url + EVALUATION,
      access_evaluations_endpoint: app.url + EVALUATIONS,
    });
    for (const kind of ['subject', 'resource', 'action']) {
      expect((await call('POST', `/access/v1/search/${kind}`, {})).status).toBe(404);
    }
  });

  it('permits what a decision allows, and records the decision with the evaluated request', async () => {
    const context = { app: 'chat', estimated_input_tokens: 1_200, tags: ['a'], place: { city: 'Bonn' } };
    const request = { subject, action: INVOKE, resource: GPT, context };
    const answer = await call('POST', EVALUATION, request, { 'x-request-id': 'bfe9eb29-ab87-4ca3-be83-a1d5d8305716' });
    expect(answer).toMatchObject({
      status: 200,
      body: { decision: true, context: { action: 'allow', reason: 'no_policy_matched', policies: [] } },
    });
    expect(answer.headers.get('x-request-id')).toBe('bfe9eb29-ab87-4ca3-be83-a1d5d8305716');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(answer.body.context).not.toHaveProperty('reason_user');
    expect(await recorded(answer.body.context.id)).toMatchObject({ user_id: ada, provider: 'openai', model: 'gpt-4o' });
  });

  it('denies a request above a limit with 429, and says when to ask again', async () => {
    const limit = { name: 'Slowly', scope: 'organization', requests_per_minute: 1 };
    expect((await call('POST', '/v1/limits', limit)).status).toBe(201);
    const request = { subject, action: INVOKE, resource: GPT };
    await call('POST', EVALUATION, request);
    const { status, body } = await call('POST', EVALUATION, request);
    expect({ status, decision: body.decision }).toEqual({ status: 200, decision: false });
    expect(body.context).toMatchObject({
      reason: 'rate_limited',
      reason_user: { '429': 'A limit has no room for this request at present.' },
      limits: [{ name: 'Slowly' }],
      retry_after_ms: expect.any(Number),
    });
    expect(body.context.reason_user).not.toHaveProperty('403');
  });

  it('denies a request that a policy blocks, with reasons for the user and for the administrator', async () => {
    const id = await policy({ model: 'gpt-blocked' });
    const { status, body } = await call('POST', EVALUATION, {
      subject: { type: 'user', id: ada },
      action: INVOKE,
      resource: { type: 'model', id: 'openai/gpt-blocked' },
    });
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        decision: false,
        context: {
          ...{ id: expect.any(String), action: 'block', reason: 'policy', evaluated_at: expect.any(String) },
          reason_user: { '403': 'A policy blocks this request.' },
          reason_admin: { '403': `A policy blocks this request (Research only); decision ${body.context.id}.` },
          policies: [{ id, name: 'Research only', action: 'block' }],
        },
      },
    });
    expect(await recorded(body.context.id)).toMatchObject({
      action: 'block',
      provider: 'openai',
      model: 'gpt-blocked',
    });
  });

  it('passes the action and the type of the resource and the context to conditions of policies', async () => {
    await policy({ conditions: { 'attributes.action': { eq: 'delete' }, 'attributes.region': { eq: 'eu' } } });
    await policy({ model: 'search', conditions: { 'attributes.resource_type': { eq: 'tool' } } });
    const decided = async (name: string, resource: object, context: object = {}): Promise<boolean> =>
      (await call('POST', EVALUATION, { subject, action: { name }, resource, context })).body.decision;
    expect(await decided('delete', GPT, { region: 'eu' })).toBe(false);
    expect(await decided('invoke', GPT, { region: 'eu' })).toBe(true);
    expect(await decided('delete', GPT, { region: 'us' })).toBe(true);
    expect(await decided('invoke', { type: 'tool', id: 'search' })).toBe(false);
    expect(await decided('invoke', { type: 'model', id: 'acme/search' })).toBe(true);
  });

  it('denies an unknown user, names the missing approval and the used-up budget', async () => {
    const stranger = { subject: { type: 'user', id: 'nobody@example.com' }, action: INVOKE, resource: GPT };
    expect((await call('POST', EVALUATION, stranger)).body).toMatchObject({
      decision: false,
      context: { reason: 'unknown_user', reason_user: { '403': 'This person is unknown.' } },
    });
    await policy({ model: 'ask-first', action: 'require_approval' });
    const { body } = await call('POST', EVALUATION, { subject, action: INVOKE, resource: { ...GPT, id: 'ask-first' } });
    expect(body).toMatchObject({ decision: false, context: { approval_id: expect.any(String) } });
    expect((await call('GET', `/v1/approvals/${body.context.approval_id}`)).status).toBe(200);

    const shop = await openShop(app);
    const budget = await addBudget(shop.call, 1);
    const asked = (estimated_input_tokens: number) =>
      shop.call('POST', EVALUATION, {
        subject: { type: 'user', id: shop.userId },
        action: INVOKE,
        resource: { type: 'model', id: 'acme/acme-1' },
        context: { estimated_input_tokens, max_output_tokens: 0 },
      });
    const held = (await asked(600_000)).body;
    expect(held).toMatchObject({ decision: true, context: { reservation: { id: held.context.id, amount_usd: 0.6 } } });
    expect((await asked(600_000)).body).toMatchObject({
      decision: false,
      context: { reason: 'budget_exceeded', budgets: [{ id: budget, name: 'Budget' }] },
    });
    expect((await shop.call('POST', `/v1/decisions/${held.context.id}/release`)).body.released_usd).toBe(0.6);
  });

  it('evaluates a batch with its defaults and refuses a malformed evaluation at its index', async () => {
    await policy({ model: 'gpt-blocked' });
    const { status, body } = await call('POST', EVALUATIONS, {
      ...{ subject, action: INVOKE, resource: GPT },
      evaluations: [
        {},
        { resource: BLOCKED },
        { resource: { type: 'model' } },
        'nonsense',
        { action: { name: 'read' } },
      ],
      options: { evaluations_semantic: 'execute_all', another_option: 'value' },
    });
    expect(status).toBe(200);
    expect(body.evaluations.map(({ decision }: Answer['body']) => decision)).toEqual([true, false, false, false, true]);
    expect(body.evaluations[2].context).toMatchObject({
      error: { status: 400, details: [{ field: 'resource.id', message: expect.any(String) }] },
    });
    expect(body.evaluations[3].context).toMatchObject({ error: { status: 400 } });
    expect(body).not.toHaveProperty('decision');
    await recorded(body.evaluations[4].context.id);
    expect(await decisions()).toBe(3);
  });

  it('ends a batch at the first denial or permission if requested, and decides no later evaluation', async () => {
    await policy({ model: 'gpt-blocked' });
    const batch = async (evaluations_semantic: string, ...resources: object[]): Promise<boolean[]> => {
      const { body } = await call('POST', EVALUATIONS, {
        ...{ subject, action: INVOKE, options: { evaluations_semantic } },
        evaluations: resources.map(resource => ({ resource })),
      });
      return body.evaluations.map(({ decision }: Answer['body']) => decision);
    };
    expect(await batch('deny_on_first_deny', GPT, BLOCKED, GPT)).toEqual([true, false]);
    expect(await batch('deny_on_first_deny', GPT, {}, GPT)).toEqual([true, false]);
    expect(await batch('permit_on_first_permit', BLOCKED, {}, GPT, GPT)).toEqual([false, false, true]);
    await until(async () => (await decisions()) >= 5);
    expect(await decisions()).toBe(5);
  });

  it('answers a batch without evaluations as one evaluation', async () => {
    const single = { subject, action: INVOKE, resource: GPT };
    for (const body of [single, { ...single, evaluations: [] }]) {
      const answer = await call('POST', EVALUATIONS, body);
      expect(answer).toMatchObject({ status: 200, body: { decision: true, context: { action: 'allow' } } });
    }
  });

  it.each<[string, object, string]>([
    ['no subject', { subject: undefined }, 'subject'],
    ['a subject without a type', { subject: { id: 'ada@example.com' } }, 'subject.type'],
    ['a subject that is not a user', { subject: { type: 'group', id: 'sales' } }, 'subject.type'],
    ['a user without an id and an address', { subject: { type: 'user', id: 'ada' } }, 'subject.id'],
    ['an action without a name', { action: {} }, 'action.name'],
    ['a number as the name of the action', { action: { name: 1 } }, 'action.name'],
    ['no resource', { resource: null }, 'resource'],
    ['a model without a provider', { resource: { type: 'model', id: 'gpt-4o' } }, 'resource.properties.provider'],
    ['a number as the provider', { resource: { ...GPT, properties: { provider: 1 } } }, 'resource.properties.provider'],
    ['a model that is too long', { resource: { ...GPT, id: 'x'.repeat(256) } }, 'resource.id'],
    ['a list as the context', { context: [] }, 'context'],
    ['an attribute that is too long', { context: { text: 'x'.repeat(1_025) } }, 'context.text'],
    ['a text as the tokens', { context: { max_output_tokens: 'many' } }, 'context.max_output_tokens'],
    ['a device without a name', { context: { device_id: '' } }, 'context.device_id'],
  ])('answers 400 and names the member if the request has %s', async (_, change, field) => {
    const answer = await call('POST', EVALUATION, { subject, action: INVOKE, resource: GPT, ...change });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: 'bad_request', details: [{ field, message: expect.any(String) }] },
    });
  });

  it('answers 400 to a batch that is malformed as a whole, and needs the scope decisions:write', async () => {
    const single = { subject, action: INVOKE, resource: GPT };
    const bad = [
      { ...single, options: { evaluations_semantic: 'execute_some' } },
      { ...single, evaluations: {} },
      { ...single, evaluations: Array.from({ length: 101 }, () => ({})) },
    ];
    for (const body of bad) expect((await call('POST', EVALUATIONS, body)).status).toBe(400);
    expect((await call('POST', EVALUATIONS)).status).toBe(415);
    expect((await call('POST', EVALUATIONS, [])).status).toBe(400);
    for (const path of [EVALUATION, EVALUATIONS]) {
      expect((await app.as(null)('POST', path, single)).status).toBe(401);
      expect((await (await app.addToken('auditor')).call('POST', path, single)).status).toBe(403);
    }
  });
});
