import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { until } from '../../support/webhooks.js';
import { createToken } from '../../support/seed.js';
import { booksOf } from '../calls.support.js';
import { addBudget, openShop, type Shop } from '../spend.support.js';

const GUARDRAIL = '/v1/integrations/litellm/beta/litellm_basic_guardrail_api';
const LOGS = '/v1/integrations/litellm/logs';
const START = Date.parse('2026-11-20T11:30:00Z') / 1_000;

describe('LiteLLM', () => {
  let app: TestApp;
  let shop: Shop;
  let call: Call;
  let email: string;

  beforeAll(async () => {
    app = await startTestApp();
  });
  beforeEach(async () => {
    shop = await openShop(app);
    ({ call } = shop);
    ({ email } = (await call('GET', `/v1/users/${shop.userId}`)).body);
  });
  afterAll(() => app?.close());

  /** The body that LiteLLM sends before a call. Fields without a value are null. */
  const question = (change: object = {}): object => ({
    input_type: 'request',
    litellm_call_id: randomUUID(),
    litellm_trace_id: randomUUID(),
    structured_messages: [{ role: 'user', content: 'Hello, who are you?' }],
    images: null,
    tools: null,
    texts: ['Hello, who are you?'],
    request_data: {
      user_api_key_hash: '88dc28d0f030c55ed4ab77ed8faf098196cb1c05df778539800c9f1243fe6b4b',
      user_api_key_alias: 'team-key',
      user_api_key_user_id: 'default_user_id',
      user_api_key_user_email: email,
      user_api_key_team_id: null,
    },
    request_headers: { 'user-agent': 'OpenAI/Python 2.17.0', authorization: '[present]' },
    litellm_version: '1.80.0',
    additional_provider_specific_params: {},
    tool_calls: null,
    model: 'acme/acme-1',
    ...change,
  });
  const ask = (change?: object): Promise<Answer> => call('POST', GUARDRAIL, question(change));
  const block = (fields: object): Promise<Answer> =>
    call('POST', '/v1/policies', { name: 'Research only', action: 'block', ...fields });
  const newest = (count: number): Promise<Answer['body'][]> =>
    until(async () => {
      const { items } = (await call('GET', '/v1/decisions')).body;
      return items.length === count && items;
    });

  /** A log entry of the callback `generic_api`, without fields that the import ignores. */
  const entry = (change: object = {}): Record<string, unknown> => ({
    id: `chatcmpl-${randomUUID()}`,
    trace_id: randomUUID(),
    call_id: randomUUID(),
    call_type: 'acompletion',
    stream: true,
    cache_hit: false,
    status: 'success',
    custom_llm_provider: 'openai',
    saved_cache_cost: 0,
    startTime: START,
    endTime: START + 2.5,
    model: 'gpt-4o',
    model_group: 'fast',
    total_tokens: 1_560,
    prompt_tokens: 1_250,
    completion_tokens: 310,
    response_cost: 1.35e-5,
    end_user: '',
    metadata: {
      user_api_key_alias: 'team-key',
      user_api_key_user_email: email,
      usage_object: {
        prompt_tokens_details: { cached_tokens: 1_000 },
        completion_tokens_details: { reasoning_tokens: 5 },
      },
    },
    messages: [{ role: 'user', content: 'Hello' }],
    response: { choices: [{ message: { role: 'assistant', content: 'Hi' } }] },
    error_str: null,
    ...change,
  });
  const send = (body: unknown, type = 'application/json', query = ''): Promise<Answer> =>
    call('POST', LOGS + query, typeof body === 'string' ? body : JSON.stringify(body), { 'content-type': type });
  const stored = async (id: unknown): Promise<Answer['body']> =>
    (await call('GET', `/v1/usage/events/${String(id)}`)).body;
  const all = (accepted: number, more: object = {}) => ({
    status: 200,
    body: { accepted, duplicates: 0, ignored: 0, rejected: [], ...more },
  });

  describe('the guardrail', () => {
    it('passes a call that a decision allows, and takes its token from x-api-key', async () => {
      const token = await createToken(app.app, shop.orgId, 'agent');
      const answer = await app.as(null)('POST', GUARDRAIL, question(), { 'x-api-key': token });
      expect(answer).toMatchObject({ status: 200, body: { action: 'NONE' } });
      const [decision] = await newest(1);
      expect(decision).toMatchObject({ user_id: shop.userId, provider: 'acme', model: 'acme-1', allowed: true });
      expect((await app.as(null)('POST', GUARDRAIL, question(), { 'x-api-key': `${token}x` })).status).toBe(401);
    });

    it('blocks a call that a policy blocks, with the reason', async () => {
      await block({ model: 'acme-1' });
      expect(await ask()).toMatchObject({
        status: 200,
        body: { action: 'BLOCKED', blocked_reason: 'A policy blocks this request.' },
      });
      expect((await ask({ model: 'acme/acme-2' })).body).toEqual({ action: 'NONE' });
      const params = { provider: 'acme' };
      const named = await ask({ model: 'acme-1', additional_provider_specific_params: params });
      expect(named.body.action).toBe('BLOCKED');
    });

    it('decides for the project of the key', async () => {
      const request_data = { user_api_key_user_email: email, user_api_key_project_alias: 'Search' };
      expect((await ask({ request_data })).body).toEqual({ action: 'NONE' });
      expect(await newest(1)).toMatchObject([{ attributes: { project: 'Search' } }]);
    });

    it('finds the user by email address, then by user id, then by end user, and blocks a key without a user', async () => {
      const of = async (data: object) => (await ask({ request_data: data })).body;
      expect(await of({ user_api_key_user_id: shop.userId })).toEqual({ action: 'NONE' });
      expect(await of({ user_api_key_user_id: 'default', user_api_key_end_user_id: email })).toEqual({
        action: 'NONE',
      });
      expect(await of({ user_api_key_user_email: 'nobody@example.com', user_api_key_end_user_id: email })).toEqual({
        action: 'BLOCKED',
        blocked_reason: 'This person is unknown.',
      });
      for (const data of [{}, { user_api_key_user_id: 'default', user_api_key_end_user_id: '' }]) {
        expect(await of(data)).toEqual({
          action: 'BLOCKED',
          blocked_reason: expect.stringContaining('names no person'),
        });
      }
    });

    it('decides about an unknown model if LiteLLM names none, or blocks it if the guardrail says so', async () => {
      expect((await ask({ model: undefined })).body).toEqual({ action: 'NONE' });
      const [decision] = await newest(1);
      expect(decision).toMatchObject({ provider: 'litellm', model: 'unknown' });
      const settled = (params: object) => ask({ model: null, additional_provider_specific_params: params });
      expect((await settled({ on_missing_model: 'block' })).body.action).toBe('BLOCKED');
      await block({ model: 'acme-1' });
      expect((await settled({ model: 'acme-1', provider: 'acme' })).body.action).toBe('BLOCKED');
      await block({});
      expect((await ask({ model: undefined })).body.action).toBe('BLOCKED');
    });

    it('decides once per call, again for a fallback to another model, and passes answers of models', async () => {
      const litellm_call_id = randomUUID();
      for (let time = 0; time < 3; time++) await ask({ litellm_call_id });
      expect(await newest(1)).toHaveLength(1);
      expect((await ask({ litellm_call_id, model: 'acme/acme-2' })).body).toEqual({ action: 'NONE' });
      await block({});
      expect((await ask({ litellm_call_id: randomUUID(), input_type: 'response' })).body).toEqual({ action: 'NONE' });
      expect(await newest(2)).toHaveLength(2);
    });

    it.each<[string, object, string]>([
      ['no input type', { input_type: undefined }, 'input_type'],
      ['another input type', { input_type: 'both' }, 'input_type'],
      ['a key that is not an object', { request_data: 'ada' }, 'request_data'],
      ['a number as the model', { model: 7 }, 'model'],
      ['a model that is too long', { model: `acme/${'x'.repeat(256)}` }, 'model'],
    ])('answers 400 if the body has %s', async (_, change, field) => {
      expect(await ask(change)).toMatchObject({ status: 400, body: { error: 'bad_request', details: [{ field }] } });
    });
  });

  describe('the log sink', () => {
    it('stores calls once, with cached and reasoning tokens, at the prices of the catalog', async () => {
      const entries = [entry(), entry()];
      expect(await send(entries)).toMatchObject(all(2));
      expect(await send(entries)).toMatchObject(all(0, { duplicates: 2 }));
      expect(await stored(entries[0]?.['id'])).toMatchObject({
        ...{ user_id: shop.userId, provider: 'openai', model: 'gpt-4o', occurred_at: '2026-11-20T11:30:00.000Z' },
        ...{ input_tokens: 1_250, output_tokens: 310, cache_read_tokens: 1_000, reasoning_tokens: 5 },
        metadata: { source: 'litellm', key: 'team-key' },
      });
      // The stored cost is computed from the catalog. The cost that LiteLLM reports is ignored.
      expect(Number((await stored(entries[0]?.['id'])).cost_usd)).toBeGreaterThan(0.001);
    });

    it('prefers the tier of the answer to the requested one, and takes the region', async () => {
      const asked = { service_tier: 'auto', aws_region_name: 'eu-west-1' };
      const flex = entry({ model_parameters: asked, response: { service_tier: 'flex' } });
      const plain = entry({ model_parameters: { service_tier: 'default' } });
      expect(await send([flex, plain])).toMatchObject(all(2));
      expect(await stored(flex['id'])).toMatchObject({ service_tier: 'flex', region: 'eu-west-1', cost_usd: null });
      expect(await stored(plain['id'])).toMatchObject({ service_tier: 'standard', region: null });
    });

    it('takes the project of the key and the tags that have a key and a value', async () => {
      const metadata = { user_api_key_user_email: email, user_api_key_project_id: 'p-1' };
      const named = { ...metadata, user_api_key_project_alias: 'Search' };
      const tags = ['team:core', 'stage: test', 'User-Agent: OpenAI/2.17', 'urgent', ':x', 'team:web', 7];
      const entries = [
        entry({ metadata: named, request_tags: tags }),
        entry({ metadata, request_tags: ['urgent', 'x y:z'] }),
        entry({ request_tags: null }),
      ];
      expect(await send(entries)).toMatchObject(all(3));
      expect(await Promise.all(entries.map(({ id }) => stored(id)))).toMatchObject([
        { project: 'Search', tags: { stage: 'test', team: 'core' } },
        { project: 'p-1', tags: null },
        { project: null, tags: null },
      ]);
    });

    it('accepts a single entry, and lines of any content type', async () => {
      expect(await send(entry())).toMatchObject(all(1));
      const lines = [entry(), entry()].map(each => JSON.stringify(each)).join('\n');
      expect(await send(lines, 'application/x-ndjson')).toMatchObject(all(2));
      expect(await send([entry(), entry()].map(each => JSON.stringify(each)).join('\n'))).toMatchObject(all(2));
    });

    it('uses the cost of LiteLLM when configured to', async () => {
      const priced = entry();
      expect(await send([priced], undefined, '?cost=litellm')).toMatchObject(all(1));
      expect(Number((await stored(priced['id'])).cost_usd)).toBe(0.0000135);
      expect((await send([entry()], undefined, '?cost=mine')).status).toBe(400);
    });

    it('ignores failed calls and answers from the cache of LiteLLM', async () => {
      const answer = await send([entry({ status: 'failure' }), entry({ cache_hit: true }), entry()]);
      expect(answer).toMatchObject(all(1, { ignored: 2 }));
    });

    it('names the index of each invalid entry, and stores the others', async () => {
      const bad = [
        ...[7, entry({ metadata: {} }), entry({ metadata: { user_api_key_user_email: 'nobody@example.com' } })],
        ...[
          entry({ id: null }),
          entry({ prompt_tokens: -1 }),
          entry({ startTime: 'yesterday' }),
          entry({ startTime: 1e300 }),
        ],
        entry({ model: null }),
      ];
      const { status, body } = await send([...bad, entry()]);
      expect({ status, accepted: body.accepted }).toEqual({ status: 200, accepted: 1 });
      expect(body.rejected.map(({ index, field }: Answer['body']) => [index, field])).toEqual([
        ...[
          [0, 'event'],
          [1, 'metadata'],
          [2, 'metadata.user_api_key_user_email'],
          [3, 'id'],
        ],
        ...[
          [4, 'prompt_tokens'],
          [5, 'startTime'],
          [6, 'startTime'],
          [7, 'model'],
        ],
      ]);
      const half = `{"id":\n${JSON.stringify(entry())}`;
      expect((await send(half)).body).toMatchObject({ accepted: 1, rejected: [{ index: 0, field: 'event' }] });
    });

    it('answers 400 if the body contains no entry', async () => {
      for (const body of ['{"id":', '[]', '7', '"text"', '{"a":1,"a":2}', `[${'{},'.repeat(1_000)}{}]`]) {
        expect([body.slice(0, 20), (await send(body)).status]).toEqual([body.slice(0, 20), 400]);
      }
      expect((await call('POST', LOGS)).status).toBe(415);
      expect((await (await app.addToken('auditor')).call('POST', LOGS, [entry()])).status).toBe(403);
    });

    it("settles the guardrail's decision about the same call", async () => {
      await addBudget(call, 10);
      const litellm_call_id = randomUUID();
      await ask({ litellm_call_id });
      const [decision] = await newest(1);
      expect((await booksOf(shop)).held).toBeGreaterThan(0);
      const called = entry({ call_id: litellm_call_id, custom_llm_provider: 'acme', model: 'acme-1' });
      expect(await send([called])).toMatchObject(all(1));
      expect(await stored(called['id'])).toMatchObject({ decision_id: decision.id });
      expect((await booksOf(shop)).held).toBe(0);
    });
  });
});
