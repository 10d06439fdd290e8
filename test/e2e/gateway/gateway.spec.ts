import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import Anthropic from '@anthropic-ai/sdk';
import type { Provider } from '../../support/providers/provider.js';
import { addBudget } from '../spend.support.js';
import { addCustomer, startGatewayStage, sum, type Customer, type GatewayStage } from './gateway.support.js';

const HELLO = [{ role: 'user' as const, content: 'Hello, who are you?' }];
const CHAT = { model: 'gpt-4o-mini', messages: HELLO };
const MESSAGE = { model: 'claude-sonnet-5-5', max_tokens: 100, messages: HELLO };

describe('the gateway', () => {
  let stage: GatewayStage;
  let customer: Customer;
  let openai: OpenAI;
  let anthropic: Anthropic;

  beforeAll(async () => {
    stage = await startGatewayStage();
  });
  beforeEach(async () => {
    customer = await addCustomer(stage);
    openai = customer.openai();
    anthropic = customer.anthropic();
  });
  afterEach(() => {
    stage.openai.clear();
    stage.anthropic.clear();
  });
  afterAll(() => stage?.close());

  /** Expects the stored usage to equal the usage that the providers have recorded. */
  async function expectUsageOf(...providers: Provider[]): Promise<void> {
    for (const provider of providers) await provider.idle();
    const served = (field: 'requests' | 'promptTokens' | 'outputTokens'): number =>
      providers.reduce((total, { totals }) => total + totals[field], 0);
    const rows = await customer.usage(served('requests'));
    const [input, output] = [sum(rows, 'total_input_tokens'), sum(rows, 'total_output_tokens')];
    expect({ input, output }).toEqual({ input: served('promptTokens'), output: served('outputTokens') });
  }

  it('forwards a chat completion and stores its usage', async () => {
    const { data, response } = await openai.chat.completions.create(CHAT).withResponse();
    expect(data.choices[0]?.message.content).not.toBe('');
    expect(response.headers.get('x-governance-decision-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('x-request-id')).toBe(stage.openai.served[0]?.requestId);
    expect(stage.openai.served[0]).toMatchObject({ key: stage.openai.key, path: '/v1/chat/completions' });
    await expectUsageOf(stage.openai);
  });

  it('counts the usage of a key for the key, its project and its budget', async () => {
    const { call } = customer;
    const budget = { amount_usd: 1, period: 'monthly', enforcement: 'notify' };
    const made = await call('POST', '/v1/tokens', { name: 'key', role: 'agent', project: 'copilot', budget });
    await customer.openai({ apiKey: made.body.token }).chat.completions.create(CHAT, {
      headers: { 'x-governance-user': customer.userId },
    });
    await expectUsageOf(stage.openai);
    const { groups } = (await call('GET', '/v1/usage/series?group_by=token,project&metric=requests')).body;
    expect(groups).toMatchObject([{ key: [made.body.id, 'copilot'], total: 1 }]);
    const { total: cost } = (await call('GET', '/v1/usage/series?group_by=token')).body.groups[0];
    expect(cost).toBeGreaterThan(0);
    expect((await call('GET', '/v1/tokens?project=copilot')).body.items).toMatchObject([{ spent_usd: cost }]);
    expect((await call('GET', `/v1/budgets/${made.body.budget.id}`)).body.spent_usd).toBe(cost);
  });

  it('forwards a stream, requests its usage and hides the chunk that the client did not request', async () => {
    stage.openai.behave({ outputTokens: 400, delayMs: 0 });
    let text = '';
    for await (const chunk of await openai.chat.completions.create({ ...CHAT, stream: true })) {
      expect(chunk.usage ?? null).toBeNull();
      text += chunk.choices[0]?.delta.content ?? '';
    }
    expect(text.length).toBeGreaterThan(400);
    await expectUsageOf(stage.openai);
  });

  it('forwards responses, embeddings and messages', async () => {
    await openai.responses.create({ model: 'gpt-4o-mini', input: 'Hello' });
    await openai.embeddings.create({ model: 'text-embedding-3-small', input: 'Hello' });
    await anthropic.messages.create(MESSAGE);
    for await (const _ of await anthropic.messages.create({ ...MESSAGE, stream: true }));
    await expectUsageOf(stage.openai, stage.anthropic);
  });

  it('forwards an answer of several megabytes unchanged, as fast as it is read', async () => {
    const input = Array.from({ length: 1_500 }, (_, i) => `Text ${i}`);
    const body = JSON.stringify({ model: 'text-embedding-3-small', input, encoding_format: 'float' });
    const ask = (url: string, key: string): Promise<Response> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      return fetch(`${url}/v1/embeddings`, { method: 'POST', headers, body, signal: AbortSignal.timeout(20_000) });
    };
    const own = await (await ask(stage.openai.url, stage.openai.key)).text();
    expect(own.length).toBeGreaterThan(3 * 1024 * 1024);
    stage.openai.clear();
    const answer = await ask(`${stage.app.url}/gateway/openai`, customer.member);
    expect(answer.status).toBe(200);
    expect((await answer.text()) === own).toBe(true);
    await expectUsageOf(stage.openai);
  });

  it('lists models without a decision', async () => {
    expect((await openai.models.list()).data.length).toBeGreaterThan(0);
    expect((await anthropic.models.list()).data.length).toBeGreaterThan(0);
    expect(stage.openai.served[0]?.path).toBe('/v1/models');
  });

  it('refuses a request that a policy blocks, in the format of each provider, without calling the provider', async () => {
    const policy = await customer.call('POST', '/v1/policies', { name: 'No', model: 'gpt-blocked', action: 'block' });
    const claude = await customer.call('POST', '/v1/policies', { name: 'No', model: 'claude-no', action: 'block' });
    expect([policy.status, claude.status]).toEqual([201, 201]);
    await expect(openai.chat.completions.create({ ...CHAT, model: 'gpt-blocked' })).rejects.toMatchObject({
      ...{ status: 403, code: 'policy_blocked' },
    });
    await expect(anthropic.messages.create({ ...MESSAGE, model: 'claude-no' })).rejects.toMatchObject({
      ...{ status: 403, error: { type: 'error', error: { type: 'permission_error' } } },
    });
    expect(stage.openai.totals.requests + stage.anthropic.totals.requests).toBe(0);
  });

  it('forwards the errors of a provider and stores no usage', async () => {
    stage.openai.behave({ error: { status: 429, message: 'Slow down', headers: { 'retry-after': '7' } } });
    const error: unknown = await openai.chat.completions.create(CHAT).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 429 });
    expect(error instanceof APIError && error.headers?.get('retry-after')).toBe('7');
    expect(error instanceof APIError && error.message).toContain('Slow down');
  });

  it("says that the stored key is refused and does not repeat the provider's message about it", async () => {
    stage.openai.behave({ error: { status: 401, message: `Incorrect API key: ${stage.openai.key}` } });
    const error: unknown = await openai.chat.completions.create(CHAT).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 401, code: 'provider_key_refused' });
    expect(String(error)).not.toContain(stage.openai.key);
  });

  it.each(['reset', 'close', 'end', 'hang'] as const)(
    'ends a stream with an error when it breaks off by %s',
    async how => {
      stage.openai.behave({ outputTokens: 50, death: { how, at: 20 } });
      const client = customer.openai();
      let tokens = 0;
      const read = async () => {
        const controller = new AbortController();
        const options = { signal: controller.signal };
        const stream = await client.chat.completions.create({ ...CHAT, stream: true }, options);
        for await (const chunk of stream) {
          tokens += chunk.choices[0]?.delta.content ? 1 : 0;
          if (how === 'hang' && tokens === 20) controller.abort();
        }
        if (how === 'hang') throw new Error('the client has left');
      };
      await expect(read()).rejects.toThrow(/before it was complete|the client has left/);
      expect(tokens).toBe(20);
      await stage.openai.idle();
      const rows = await customer.usage(1);
      expect(sum(rows, 'total_output_tokens')).toBeGreaterThanOrEqual(15);
    },
  );

  it('closes the connection to the provider when the client disconnects, and stores the streamed usage', async () => {
    stage.anthropic.behave({ outputTokens: 90, delayMs: 20 });
    const stream = await anthropic.messages.create({ ...MESSAGE, stream: true });
    let seen = 0;
    for await (const event of stream) {
      if (event.type === 'content_block_delta') seen += 1;
      if (seen === 10) break;
    }
    await stage.anthropic.idle();
    expect(stage.anthropic.served[0]?.outcome).toBe('cut');
    const rows = await customer.usage(1);
    expect(sum(rows, 'total_output_tokens')).toBeGreaterThanOrEqual(10);
    expect(sum(rows, 'total_output_tokens')).toBeLessThan(90);
  });

  it('stores the prompt of a call if the client disconnects before the provider answers', async () => {
    stage.openai.behave({ firstByteMs: 60_000 });
    const leaving = new AbortController();
    const answer = openai.chat.completions.create(CHAT, { signal: leaving.signal });
    await stage.openai.until(() => stage.openai.openCalls === 1);
    leaving.abort();
    await expect(answer).rejects.toThrow(/abort/i);
    await stage.openai.idle();
    expect(stage.openai.served[0]?.outcome).toBe('cut');
    const rows = await customer.usage(1);
    expect(sum(rows, 'total_input_tokens')).toBeGreaterThan(0);
    expect(sum(rows, 'total_output_tokens')).toBe(0);
  });

  it('answers 402 if a budget is used up, and leaves nothing reserved', async () => {
    const id = await addBudget(customer.call, 0.000_001);
    await expect(openai.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 402, code: 'budget_exceeded' });
    expect(stage.openai.totals.requests).toBe(0);
    expect((await customer.call('GET', `/v1/budgets/${id}`)).body.reserved_usd).toBe(0);
    await customer.call('DELETE', `/v1/budgets/${id}`);
  });

  it('answers 429 if a limit is reached, and lets the SDK retry after the named time', async () => {
    const draft = { name: 'One a minute', scope: 'organization', requests_per_minute: 1 };
    const { body: limit } = await customer.call('POST', '/v1/limits', draft);
    await openai.chat.completions.create(CHAT);
    const refused = openai.chat.completions.create(CHAT, { maxRetries: 0 });
    const { status, code, headers } = (await refused.catch((error: unknown) => error)) as APIError;
    expect({ status, code, retry: headers?.get('x-should-retry') }).toEqual({
      ...{ status: 429, code: 'rate_limited', retry: null },
    });
    expect(Number(headers?.get('retry-after'))).toBeGreaterThan(0);
    expect(stage.openai.totals.requests).toBe(1);
    await customer.call('DELETE', `/v1/limits/${limit.id}`);
  });

  it('retries if the provider was not reached, and answers 502 if it stays unreachable', async () => {
    await stage.openai.refuse();
    const waiting = openai.chat.completions.create(CHAT);
    const back = new Promise(done => setTimeout(done, 20)).then(() => stage.openai.accept());
    await expect(waiting).resolves.toMatchObject({ object: 'chat.completion' });
    await back;
    await stage.openai.refuse();
    await expect(openai.chat.completions.create(CHAT)).rejects.toMatchObject({
      ...{ status: 502, code: 'provider_unreachable' },
    });
    await stage.openai.accept();
  });

  it('lets only an agent name the user', async () => {
    const agent = customer.openai({ apiKey: customer.agent });
    await expect(agent.chat.completions.create(CHAT)).rejects.toMatchObject({ status: 400 });
    const named = { headers: { 'X-Governance-User': customer.userId } };
    await expect(agent.chat.completions.create(CHAT, named)).resolves.toMatchObject({ object: 'chat.completion' });
    expect(stage.openai.served[0]?.headers['x-governance-user']).toBeUndefined();
    const other = { headers: { 'X-Governance-User': 'somebody.else@example.com' } };
    await expect(openai.chat.completions.create(CHAT, other)).rejects.toMatchObject({ status: 403 });
    await expect(customer.openai({ apiKey: 'nothing' }).models.list()).rejects.toMatchObject({ status: 401 });
  });
});
