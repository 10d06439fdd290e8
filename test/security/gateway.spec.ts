import { request } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  addCustomer,
  putProvider,
  startGatewayStage,
  type Customer,
  type GatewayStage,
} from '../e2e/gateway/gateway.support.js';

const CHAT = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] });

describe('the gateway keeps organizations apart', () => {
  let stage: GatewayStage;
  let customer: Customer;

  beforeAll(async () => {
    stage = await startGatewayStage();
    customer = await addCustomer(stage);
  });
  afterEach(() => stage.openai.clear());
  afterAll(() => stage?.close());

  /** Sends a path unchanged: fetch would resolve `..`. */
  function send(
    path: string,
    headers: Record<string, string> = {},
    body = CHAT,
  ): Promise<{ status: number; text: string; headers: object }> {
    return new Promise((done, fail) => {
      const { hostname, port } = new URL(stage.app.url);
      const all = { authorization: `Bearer ${customer.member}`, 'content-type': 'application/json', ...headers };
      const call = request({ hostname, port, path, method: 'POST', headers: all }, response => {
        let text = '';
        response.on('data', chunk => (text += String(chunk)));
        response.on('end', () => done({ status: response.statusCode ?? 0, text, headers: response.headers }));
      });
      call.on('error', fail);
      call.end(body);
    });
  }

  it('sends neither our credential nor cookies nor forwarding headers to the provider', async () => {
    const answer = await send('/gateway/openai/v1/chat/completions?x=1', {
      cookie: 'session=secret',
      'x-api-key': 'another',
      'x-governance-user': customer.userId,
      'x-forwarded-for': '10.0.0.9',
      'x-real-ip': '10.0.0.9',
      connection: 'x-private',
      'x-private': 'for this connection',
      'openai-organization': 'org-1',
    });
    expect(answer.status).toBe(200);
    const [served] = stage.openai.served;
    expect(served).toMatchObject({ key: stage.openai.key, path: '/v1/chat/completions?x=1' });
    const headers = served?.headers ?? {};
    expect(headers['openai-organization']).toBe('org-1');
    const names = ['cookie', 'x-api-key', 'x-governance-user', 'x-forwarded-for', 'x-real-ip', 'x-private'];
    expect(names.filter(name => name in headers)).toEqual([]);
    expect(JSON.stringify(headers)).not.toContain(customer.member);
    expect(JSON.stringify(answer)).not.toContain(stage.openai.key);
  });

  it.each([
    '/gateway/openai/v1/../../v1/users',
    '/gateway/openai/v1/%2e%2e/files',
    '/gateway/openai/v1/chat/../files',
    '/gateway/openai/v1/chat%2fcompletions',
    '/gateway/openai//v1/chat/completions',
    '/gateway/openai/v1//chat/completions',
    '/gateway/openai/v1/chat/completions/',
    '/gateway/openai/v1/chat/completions;a=b',
    '/gateway/openai/v1/files',
    '/gateway/openai/https://evil.example/v1/chat/completions',
    '/gateway/openai@evil.example/v1/chat/completions',
    '/gateway/%6fpenai/v1/chat/completions',
    '/gateway/../gateway/openai/v1/chat/completions',
    '/gateway/__proto__/v1/chat/completions',
    '/gateway/nobody/v1/chat/completions',
  ])('answers %s with 404 and sends no request', async path => {
    expect((await send(path)).status).toBe(404);
    expect(stage.openai.totals.requests).toBe(0);
  });

  it('does not find the providers of another organization', async () => {
    const other = await addCustomer(stage);
    await putProvider(other.call, 'theirs', stage.openai);
    const answer = await send('/gateway/theirs/v1/chat/completions');
    expect(answer.status).toBe(404);
    expect(JSON.parse(answer.text).error).toMatchObject({ code: 'provider_not_found' });
    expect(stage.openai.totals.requests).toBe(0);
  });

  it('sends no request if a provider is inactive', async () => {
    await putProvider(customer.call, 'off', stage.openai, { active: false });
    expect((await send('/gateway/off/v1/chat/completions')).status).toBe(404);
    expect(stage.openai.totals.requests).toBe(0);
  });

  it.each([
    ['a repeated key', '{"model":"gpt-4o-mini","model":"gpt-blocked","messages":[]}'],
    ['no JSON', 'model=gpt-4o'],
    ['no model', '{"messages":[]}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1') + '\u00ff'],
  ])('refuses a body with %s and sends no request', async (_what, body) => {
    const answer = await send('/gateway/openai/v1/chat/completions', {}, body);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error.type).toBe('invalid_request_error');
    expect(stage.openai.totals.requests).toBe(0);
  });

  it('accepts bodies of 10 MiB and refuses larger ones', async () => {
    const bodyOf = (bytes: number): string =>
      JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'x'.repeat(bytes) }] });
    expect((await send('/gateway/openai/v1/chat/completions', {}, bodyOf(10_400_000))).status).toBe(200);
    const refused = await send('/gateway/openai/v1/chat/completions', {}, bodyOf(10_500_000));
    expect(refused.status).toBe(413);
    expect(stage.openai.totals.requests).toBe(1);
  });

  it('answers 401 without a credential and 403 without the scope, in the form of the provider', async () => {
    const anthropic = await fetch(`${stage.app.url}/gateway/anthropic/v1/messages`, { method: 'POST', body: '{}' });
    expect(anthropic.status).toBe(401);
    expect(await anthropic.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
    const narrow = await customer.call('POST', '/v1/tokens', { name: 'x', role: 'admin', scopes: ['users:read'] });
    const answer = await send('/gateway/openai/v1/chat/completions', { authorization: `Bearer ${narrow.body.token}` });
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.text).error.type).toBe('permission_error');
  });

  it('shows the key in no answer and in no line of the log', async () => {
    const lines: string[] = [];
    const spies = [jest.spyOn(process.stdout, 'write'), jest.spyOn(process.stderr, 'write')];
    for (const spy of spies) {
      spy.mockImplementation(chunk => {
        lines.push(String(chunk));
        return true;
      });
    }
    stage.openai.behave({ error: { status: 401, message: `Incorrect API key provided: ${stage.openai.key}` } });
    const answers = [await send('/gateway/openai/v1/chat/completions')];
    await stage.openai.refuse();
    answers.push(await send('/gateway/openai/v1/chat/completions'));
    await stage.openai.accept();
    for (const spy of spies) spy.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual([401, 502]);
    expect(JSON.stringify([answers, lines])).not.toContain(stage.openai.key);
  });
});
