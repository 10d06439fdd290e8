import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';

const TRACES = '/v1/integrations/otlp/v1/traces';
const START = `${Date.parse('2026-11-20T11:30:00.250Z')}000000`;

type Values = Record<string, string | number | boolean>;

/** Attributes in the format of OTLP exporters. */
const attributesOf = (values: Values): object[] =>
  Object.entries(values).map(([key, value]) => {
    if (typeof value === 'string') return { key, value: { stringValue: value } };
    return { key, value: typeof value === 'number' ? { intValue: String(value) } : { boolValue: value } };
  });

interface Span {
  traceId: string;
  spanId: string;
  attributes: object[];
}

const span = (attributes: Values, change: object = {}): Span => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  ...{ parentSpanId: '', flags: 257, name: 'chat gpt-4o', kind: 3 },
  ...{ startTimeUnixNano: START, endTimeUnixNano: `${START.slice(0, -9)}900000000` },
  attributes: attributesOf(attributes),
  ...{ droppedAttributesCount: 0, events: [], links: [], status: { code: 0 } },
  ...change,
});

const exported = (spans: unknown, resource: Values = { 'service.name': 'chat' }): object => ({
  resourceSpans: [
    {
      resource: { attributes: attributesOf(resource), droppedAttributesCount: 0 },
      scopeSpans: [{ scope: { name: 'openai', version: '1.0' }, spans }],
    },
  ],
});

const CHAT = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'fast',
  'gen_ai.response.model': 'gpt-4o',
  'gen_ai.usage.input_tokens': 1_250,
  'gen_ai.usage.output_tokens': 310,
  'user.email': 'ada@example.com',
};
const OLD = {
  'gen_ai.system': 'openai',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.usage.prompt_tokens': 7,
  'gen_ai.usage.completion_tokens': 3,
  'enduser.id': 'ada@example.com',
};

describe('traces of OpenTelemetry', () => {
  let app: TestApp;
  let call: Call;
  let ada: string;

  beforeAll(async () => {
    app = await startTestApp();
  });
  beforeEach(async () => {
    ({ call } = await app.addOrganization());
    ada = (await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
  });
  afterAll(() => app?.close());

  const send = (spans: unknown, resource?: Values): Promise<Answer> => call('POST', TRACES, exported(spans, resource));
  const stored = async ({ traceId, spanId }: Span): Promise<Answer> =>
    call('GET', `/v1/usage/events/otlp:${traceId}:${spanId}`);
  const TAKEN = { status: 200, body: {} };

  it('become usage once, with the cached and reasoning tokens', async () => {
    const extra = { 'gen_ai.usage.cache_read.input_tokens': 1_000, 'gen_ai.usage.reasoning.output_tokens': 100 };
    const chat = span({ ...CHAT, ...extra });
    expect(await send([chat])).toMatchObject(TAKEN);
    const again = { ...chat, traceId: chat.traceId.toUpperCase() };
    expect((await send([again])).body).toEqual({});
    expect((await stored(chat)).body).toMatchObject({
      ...{ user_id: ada, provider: 'openai', model: 'gpt-4o', occurred_at: '2026-11-20T11:30:00.250Z' },
      ...{ input_tokens: 1_250, output_tokens: 310, cache_read_tokens: 1_000, reasoning_tokens: 100 },
      metadata: { source: 'otlp', operation: 'chat', service: 'chat' },
    });
    const { items } = (await call('GET', '/v1/usage')).body;
    expect(items).toMatchObject([{ total_requests: 1, total_input_tokens: 1_250 }]);
  });

  it('have the tier and the region of the span', async () => {
    const flex = span({ ...CHAT, 'openai.response.service_tier': 'flex', 'cloud.region': 'eu-west-1' });
    const usual = span({ ...CHAT, 'openai.request.service_tier': 'auto', 'openai.response.service_tier': 'default' });
    expect(await send([flex, usual], { 'cloud.region': 'us-east-1' })).toMatchObject(TAKEN);
    expect((await stored(flex)).body).toMatchObject({ service_tier: 'flex', region: 'eu-west-1', cost_usd: null });
    expect((await stored(usual)).body).toMatchObject({ service_tier: 'standard', region: null, cost_usd: 0.006225 });
  });

  it('have the project and the tags of the span before those of the resource, and drop invalid tags', async () => {
    const resource = { 'governance.project': 'search', 'governance.tag.team': 'core', 'governance.tag.stage': 'test' };
    const own = span({
      ...CHAT,
      'governance.project': 'chat',
      'governance.tag.team': 'web',
      'governance.tag.x y': 'no',
    });
    const [plain, faulty] = [span(CHAT), span({ ...CHAT, 'governance.project': ' ', 'governance.tag.team': 7 })];
    expect(await send([own, plain, faulty], resource)).toMatchObject(TAKEN);
    expect((await stored(own)).body).toMatchObject({ project: 'chat', tags: { stage: 'test', team: 'web' } });
    const ofResource = { project: 'search', tags: { stage: 'test', team: 'core' } };
    for (const each of [plain, faulty]) expect((await stored(each)).body).toMatchObject(ofResource);
  });

  it('keep eight tags, those of the span first', async () => {
    const many = (letter: string) =>
      Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`governance.tag.${letter}${at}`, 'x']));
    const tagged = span({ ...CHAT, ...many('s') });
    expect(await send([tagged], many('r'))).toMatchObject(TAKEN);
    const keys = ['r0', 'r1', 's0', 's1', 's2', 's3', 's4', 's5'];
    expect(Object.keys((await stored(tagged)).body.tags)).toEqual(keys);
  });

  it('may use the attribute names of older conventions', async () => {
    const spans = [
      span(OLD),
      span({ 'gen_ai.system': 'openai', 'llm.response.model': 'gpt-4o', 'llm.usage.prompt_tokens': 7, 'user.id': ada }),
      span({ ...OLD, 'gen_ai.usage.prompt_tokens': 2, 'gen_ai.usage.cache_read_input_tokens': 5 }),
    ];
    expect(await send(spans)).toMatchObject(TAKEN);
    for (const each of spans) {
      expect((await stored(each)).body).toMatchObject({ user_id: ada, model: 'gpt-4o', input_tokens: 7 });
    }
  });

  it('have the user of the span, or else of the resource', async () => {
    const { 'user.email': _, ...nobody } = CHAT;
    const bob = (await call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' })).body.id;
    const [ours, theirs] = [span(nobody), span(CHAT)];
    expect(await send([ours, theirs], { 'enduser.id': 'session-7', 'user.id': bob })).toMatchObject(TAKEN);
    expect([(await stored(ours)).body.user_id, (await stored(theirs)).body.user_id]).toEqual([bob, ada]);
  });

  it('count for the person of the token if they name no person', async () => {
    const { 'user.email': _, ...nobody } = CHAT;
    const bob = (await call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' })).body.id;
    const { token } = (await call('POST', '/v1/tokens', { name: 'laptop', role: 'agent', user_id: bob })).body;
    const [ours, theirs] = [span(nobody), span(CHAT)];
    expect(await app.as(token)('POST', TRACES, exported([ours, theirs]))).toMatchObject(TAKEN);
    expect([(await stored(ours)).body.user_id, (await stored(theirs)).body.user_id]).toEqual([bob, ada]);
  });

  it('are ignored if they report no use of a model, or are sums of others', async () => {
    const others = [
      span({ 'http.request.method': 'POST' }),
      span({ ...CHAT, 'gen_ai.operation.name': 'invoke_agent' }),
      span({ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' }),
    ];
    expect(await send(others)).toMatchObject(TAKEN);
    expect((await call('GET', '/v1/usage')).body.items).toEqual([]);
    expect(await call('POST', TRACES, {})).toMatchObject(TAKEN);
  });

  it('are rejected one by one if they are invalid, and the others are stored', async () => {
    const good = span(CHAT);
    const bad = [
      span({ ...CHAT, 'user.email': 'nobody@example.com' }),
      span({ ...CHAT, 'user.email': 'nobody' }),
      span(CHAT, { spanId: 'short' }),
      span(CHAT, { startTimeUnixNano: 'now' }),
      span({ ...CHAT, 'gen_ai.usage.input_tokens': -1 }),
      span({ ...CHAT, 'gen_ai.response.model': 7 }),
    ];
    const { status, body } = await send([good, ...bad]);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        partialSuccess: { rejectedSpans: '6', errorMessage: expect.stringMatching(/^span 1: user_email names no/) },
      },
    });
    for (const part of [
      'span 2: enduser.id or user.email or user.id must name',
      'span 3: spanId',
      'span 4: occurred_at',
      'span 5: input',
      'and 1 more',
    ]) {
      expect(body.partialSuccess.errorMessage).toContain(part);
    }
    expect((await stored(good)).status).toBe(200);
  });

  it('are answered with 400 if they are not OTLP, with 415 for other types, and need the scope usage:write', async () => {
    for (const body of [
      [],
      { resourceSpans: {} },
      exported({}),
      exported([7]),
      exported([span(CHAT, { attributes: 1 })]),
    ]) {
      expect(await call('POST', TRACES, body)).toMatchObject({ status: 400, body: { error: 'bad_request' } });
    }
    expect((await call('POST', TRACES, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await call('POST', TRACES)).status).toBe(415);
    expect((await (await app.addToken('auditor')).call('POST', TRACES, exported([]))).status).toBe(403);
  });
});
