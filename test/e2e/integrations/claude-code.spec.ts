import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { blocksOf } from '../../docs/markdown.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../../support/test-app.js';
import { addBudget } from '../spend.support.js';

const AT = '2026-11-20T11:30:00.250Z';
const NANOS = `${Date.parse(AT)}000000`;
const BEFORE = `${Date.parse(AT) - 60_000}000000`;
const OTLP = '/v1/integrations/otlp/v1';
const MODEL = 'claude-sonnet-4-5';

type Values = Record<string, string | number>;

const attributesOf = (values: Values): object[] =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));

/** The attributes of every signal of Claude Code. */
const STANDARD = { 'session.id': 'session-1', 'user.id': randomUUID(), 'user.email': 'ada@example.com' };
const USED = { input_tokens: 12, output_tokens: 310, cache_read_tokens: 84_562, cache_creation_tokens: 700 };
const resourceOf = (more: Values = {}): object => ({
  attributes: attributesOf({ 'service.name': 'claude-code', ...more }),
});

/** A log event for one API request. */
const requestEvent = (values: Values = {}): object => ({
  timeUnixNano: NANOS,
  body: { stringValue: 'claude_code.api_request' },
  attributes: attributesOf({
    ...{ 'event.name': 'api_request', 'event.timestamp': AT, 'event.sequence': 7, 'prompt.id': randomUUID() },
    ...{ ...STANDARD, model: MODEL, ...USED, cost_usd_micros: 12_345, query_source: 'repl_main_thread' },
    ...values,
  }),
});

const logsOf = (records: object[], resource: Values = {}): object => ({
  resourceLogs: [{ resource: resourceOf(resource), scopeLogs: [{ logRecords: records }] }],
});

/** A span for one API request, with the attributes of Claude Code. */
const spanOf = (values: Values = {}, resource: Values = {}): object => ({
  resourceSpans: [
    {
      resource: resourceOf(resource),
      scopeSpans: [
        {
          spans: [
            {
              ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'claude_code.llm_request' },
              ...{ startTimeUnixNano: BEFORE, endTimeUnixNano: NANOS },
              attributes: attributesOf({ ...STANDARD, 'gen_ai.system': 'anthropic', model: MODEL, ...USED, ...values }),
            },
          ],
        },
      ],
    },
  ],
});

const METRICS_COUNT = { 'governance.usage': 'metrics' };

const pointOf = (type: string, count: number, values: Values = {}): object => ({
  ...{ startTimeUnixNano: BEFORE, timeUnixNano: NANOS, asDouble: count },
  attributes: attributesOf({ ...STANDARD, model: MODEL, query_source: 'main', type, ...values }),
});

const metricsOf = (
  points: object[],
  { temporality = 1, resource = METRICS_COUNT }: { temporality?: number; resource?: Values } = {},
) => ({
  resourceMetrics: [
    {
      resource: resourceOf(resource),
      scopeMetrics: [
        {
          metrics: [
            { name: 'claude_code.session.count', sum: { aggregationTemporality: 1, dataPoints: [pointOf('', 1)] } },
            { name: 'claude_code.token.usage', sum: { aggregationTemporality: temporality, dataPoints: points } },
          ],
        },
      ],
    },
  ],
});

const POINTS = [
  ...[pointOf('input', 12), pointOf('output', 310)],
  ...[pointOf('cacheRead', 84_562), pointOf('cacheCreation', 700)],
];
const TAKEN = { status: 200, body: {} };

let app: TestApp;
let call: Call;
let ada: string;

beforeAll(async () => {
  app = await startTestApp();
  app.clock.set(new Date('2026-11-20T12:00:00Z'));
});
afterAll(() => app?.close());
beforeEach(async () => {
  ({ call } = await app.addOrganization());
  ada = (await call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' })).body.id;
});

const used = async (): Promise<object[]> => {
  const { body } = await call('GET', '/v1/usage?period=daily&start_date=2026-11-20&end_date=2026-11-20');
  return body.items;
};
const ONE_REQUEST = {
  ...{ user_id: '', model: MODEL, provider: 'anthropic', total_requests: 1 },
  ...{ total_input_tokens: 85_274, total_output_tokens: 310, cache_read_tokens: 84_562, cache_write_tokens: 700 },
};

describe('telemetry of Claude Code', () => {
  it('counts a request once, by its log event or its span, in any order and however often they are sent', async () => {
    const [first, second] = [{ request_id: 'req_1' }, { client_request_id: randomUUID() }];
    for (const send of [
      () => call('POST', `${OTLP}/logs`, logsOf([requestEvent(first)])),
      () => call('POST', `${OTLP}/traces`, spanOf(first)),
      () => call('POST', `${OTLP}/traces`, spanOf(second)),
      () => call('POST', `${OTLP}/logs`, logsOf([requestEvent(second), requestEvent(first)])),
    ]) {
      expect(await send()).toMatchObject(TAKEN);
    }
    expect(await used()).toMatchObject([
      {
        ...ONE_REQUEST,
        user_id: ada,
        total_requests: 2,
        total_input_tokens: 170_548,
        total_output_tokens: 620,
        ...{ cache_read_tokens: 169_124, cache_write_tokens: 1_400 },
      },
    ]);
    expect((await call('GET', '/v1/usage/events/claude-code:req_1')).body).toMatchObject({
      occurred_at: AT,
      metadata: { source: 'claude-code', session: 'session-1', subsystem: 'repl_main_thread' },
    });
  });

  it('counts a log event without a request id by its position in the session, and ignores a span without one', async () => {
    expect(await call('POST', `${OTLP}/traces`, spanOf())).toMatchObject(TAKEN);
    const send = (): Promise<Answer> => call('POST', `${OTLP}/logs`, logsOf([requestEvent()]));
    expect([await send(), await send()]).toMatchObject([TAKEN, TAKEN]);
    expect(await used()).toMatchObject([{ ...ONE_REQUEST, user_id: ada }]);
  });

  it('counts by metrics if the resource says so, and then by nothing else', async () => {
    expect(await call('POST', `${OTLP}/metrics`, metricsOf(POINTS))).toMatchObject(TAKEN);
    expect(await call('POST', `${OTLP}/metrics`, metricsOf(POINTS))).toMatchObject(TAKEN);
    await call('POST', `${OTLP}/logs`, logsOf([requestEvent({ request_id: 'req_1' })], METRICS_COUNT));
    await call('POST', `${OTLP}/traces`, spanOf({ request_id: 'req_2', ...METRICS_COUNT }));
    expect(await used()).toMatchObject([{ ...ONE_REQUEST, user_id: ada }]);
  });

  it('counts for the project and the tags of the resource', async () => {
    const told = { 'governance.project': 'search', 'governance.tag.team': 'core' };
    await call('POST', `${OTLP}/logs`, logsOf([requestEvent({ request_id: 'req_1' })], told));
    await call('POST', `${OTLP}/traces`, spanOf({ request_id: 'req_2', ...told }));
    await call('POST', `${OTLP}/metrics`, metricsOf(POINTS, { resource: { ...METRICS_COUNT, ...told } }));
    const { groups } = (await call('GET', '/v1/usage/series?group_by=project,tag:team&metric=requests')).body;
    expect(groups).toMatchObject([{ key: ['search', 'core'], total: 3 }]);
  });

  it('counts no metrics unless the resource says so', async () => {
    expect(await call('POST', `${OTLP}/metrics`, metricsOf(POINTS, { resource: {} }))).toMatchObject(TAKEN);
    expect(await used()).toEqual([]);
  });

  it('rejects cumulative metrics, because their difference is unknown', async () => {
    const { body } = await call('POST', `${OTLP}/metrics`, metricsOf(POINTS, { temporality: 2 }));
    expect(body.partialSuccess).toMatchObject({
      rejectedDataPoints: '4',
      errorMessage: expect.stringContaining('must be delta'),
    });
  });

  it('has the price of the catalog, or the reported one if the endpoint says so', async () => {
    await call('POST', `${OTLP}/logs`, logsOf([requestEvent({ request_id: 'req_1' })]));
    await call('POST', `${OTLP}/logs?cost=reported`, logsOf([requestEvent({ request_id: 'req_2' })]));
    const costs = ['req_1', 'req_2'].map(async id => (await call('GET', `/v1/usage/events/claude-code:${id}`)).body);
    const [ours, theirs] = await Promise.all(costs);
    expect(Number(theirs.cost_usd)).toBe(0.012345);
    expect(Number(ours.cost_usd)).toBeGreaterThan(0);
    expect(ours.cost_usd).not.toBe(theirs.cost_usd);
  });

  it('finds the user in the event, the resource, then the token, and rejects requests without a user', async () => {
    const nobody = { 'user.email': '' };
    const bob = (await call('POST', '/v1/users', { email: 'bob@example.com', name: 'Bob' })).body.id;
    const made = await call('POST', '/v1/tokens', { name: 'laptop', role: 'agent', user_id: bob });
    const ofBob = app.as(made.body.token);
    const named = logsOf([requestEvent({ ...nobody, request_id: 'r1' })], { 'enduser.id': 'ada@example.com' });
    expect(await ofBob('POST', `${OTLP}/logs`, named)).toMatchObject(TAKEN);
    const unnamed = logsOf([requestEvent({ ...nobody, request_id: 'r2' })]);
    const refused = await call('POST', `${OTLP}/logs`, unnamed);
    expect(refused.body.partialSuccess).toMatchObject({
      rejectedLogRecords: '1',
      errorMessage: expect.stringContaining('log record 0: enduser.id or user.email must name a person'),
    });
    expect(await ofBob('POST', `${OTLP}/logs`, unnamed)).toMatchObject(TAKEN);
    const people = ['r1', 'r2'].map(async id => (await call('GET', `/v1/usage/events/claude-code:${id}`)).body.user_id);
    expect(await Promise.all(people)).toEqual([ada, bob]);
  });

  it('ignores all other events', async () => {
    const others = ['claude_code.user_prompt', 'claude_code.api_error'].map(name =>
      Object.assign(requestEvent(), { body: { stringValue: name } }),
    );
    expect(await call('POST', `${OTLP}/logs`, logsOf([...others, { timeUnixNano: NANOS }]))).toMatchObject(TAKEN);
    expect(await used()).toEqual([]);
  });
});

describe('the hook of Claude Code', () => {
  const HOOK = '/v1/integrations/claude-code/hook';
  const ADA = { 'x-governance-user': 'ada@example.com' };
  const toolCall = (tool_name: string, more: object = {}): object => ({
    ...{ session_id: 's1', transcript_path: '/t.jsonl', cwd: '/', permission_mode: 'default' },
    ...{ hook_event_name: 'PreToolUse', tool_name, tool_input: { command: 'rm -rf build' } },
    ...{ tool_use_id: `toolu_${randomUUID()}`, ...more },
  });
  const prompt = { session_id: 's1', hook_event_name: 'UserPromptSubmit', prompt: 'Explain this file' };
  const ask = async (body: object, query = '', headers: Record<string, string> = ADA): Promise<unknown> => {
    const answer = await call('POST', `${HOOK}${query}`, body, headers);
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const decided = (permissionDecision: string, reason: unknown = expect.any(String)): object => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: reason },
  });
  const addPolicy = (policy: object): Promise<Answer> => call('POST', '/v1/policies', policy);

  it('leaves allowed calls to the rules of Claude Code, or skips those rules if the URL says so', async () => {
    expect(await ask(toolCall('Read'))).toEqual({});
    expect(await ask(toolCall('Read'), '?on_allow=allow')).toEqual(decided('allow'));
    const { items } = (await call('GET', '/v1/decisions')).body;
    expect(items[0]).toMatchObject({
      action: 'allow',
      provider: 'tool',
      model: 'Read',
      attributes: {
        attributes: { action: 'use_tool', app: 'claude-code', permission_mode: 'default', resource_type: 'tool' },
      },
    });
  });

  it('denies a call that a policy blocks, by the name of the tool and of its MCP server', async () => {
    await addPolicy({ name: 'No web', model: 'WebFetch', action: 'block' });
    const server = { 'attributes.mcp_server': { eq: 'github' } };
    await addPolicy({ name: 'No GitHub', model: '*', action: 'block', conditions: server });
    for (const tool of ['WebFetch', 'mcp__github__create_issue']) {
      expect(await ask(toolCall(tool))).toEqual(decided('deny', 'A policy blocks this request.'));
    }
    expect(await ask(toolCall('mcp__jira__create_issue'))).toEqual({});
  });

  it('denies a call that needs an approval, and requests the approval', async () => {
    await addPolicy({ name: 'Ask first', model: 'Bash', action: 'require_approval' });
    expect(await ask(toolCall('Bash'))).toEqual(decided('deny', expect.stringContaining('needs an approval')));
    const { items } = (await call('GET', '/v1/approvals')).body;
    expect(items).toMatchObject([{ status: 'pending', user_id: ada, model: 'Bash' }]);
  });

  it('asks the user about calls with an alert, if the URL says so', async () => {
    await addPolicy({ name: 'Watch', model: 'Write', action: 'alert' });
    expect(await ask(toolCall('Write'))).toEqual({});
    expect(await ask(toolCall('Write'), '?on_alert=ask')).toEqual(decided('ask'));
  });

  it('sends the command of a tool to the policies only if the URL says so', async () => {
    const conditions = { 'attributes.command': { starts_with: 'rm -rf' } };
    await addPolicy({ name: 'No rm', model: 'Bash', action: 'block', conditions });
    expect(await ask(toolCall('Bash'))).toEqual({});
    expect((await call('GET', '/v1/decisions')).text).not.toContain('rm -rf build');
    expect(await ask(toolCall('Bash'), '?tool_input=attributes')).toEqual(decided('deny'));
  });

  it('stops prompts and tools of users who are suspended or whose budget is used up, and reserves nothing', async () => {
    await addBudget(call, 1);
    expect(await ask(prompt)).toEqual({});
    expect(await ask(toolCall('Read'))).toEqual({});
    expect((await call('GET', '/v1/budgets')).body.items[0]).toMatchObject({ reserved_usd: 0 });
    const event = { user_id: ada, provider: 'openai', model: 'gpt-4o', input_tokens: 1, output_tokens: 1, cost_usd: 2 };
    await call('POST', '/v1/usage/events', { events: [{ ...event, id: 'e1', occurred_at: AT }] });
    expect(await ask(prompt)).toEqual({ decision: 'block', reason: 'A budget has no room for this request.' });
    await call('POST', `/v1/users/${ada}/offboard`, { reason: 'left' });
    expect(await ask(toolCall('Read'))).toEqual(decided('deny', 'This person is suspended.'));
  });

  it('decides a call once, however often its hook is run', async () => {
    const once = toolCall('Read');
    await Promise.all([ask(once), ask(once), ask(once)]);
    expect(await ask(once)).toEqual({});
    // In another permission mode, the same call is a different request.
    expect(await ask({ ...once, permission_mode: 'plan' })).toEqual({});
    expect((await call('GET', '/v1/decisions')).body.items).toHaveLength(2);
  });

  it('decides for the user of the token, and refuses calls without a user', async () => {
    const made = await call('POST', '/v1/tokens', { name: 'laptop', role: 'agent', user_id: ada });
    const own = await app.as(made.body.token)('POST', HOOK, toolCall('Read'));
    expect(own).toMatchObject(TAKEN);
    expect((await call('GET', '/v1/decisions')).body.items).toMatchObject([{ user_id: ada }]);
    expect(await ask(toolCall('Read'), '', {})).toEqual(decided('deny', expect.stringContaining('who you are')));
    expect(await ask(prompt, '', {})).toMatchObject({ decision: 'block' });
    expect(await ask(prompt, '', { 'x-governance-user': 'eve@example.com' })).toMatchObject({ decision: 'block' });
  });

  it('answers other events with an empty body, and refuses a body that is not a hook event', async () => {
    expect(await ask({ hook_event_name: 'Stop' })).toEqual({});
    for (const body of [[], {}, { hook_event_name: 'PreToolUse' }]) {
      expect((await call('POST', HOOK, body, ADA)).status).toBe(400);
    }
    expect((await call('POST', HOOK, prompt, { 'x-governance-user': 'ada' })).status).toBe(400);
    expect((await (await app.addToken('auditor')).call('POST', HOOK, prompt, ADA)).status).toBe(403);
  });
});

describe('the managed settings of the page', () => {
  // The page shows one block of settings. Claude Code reads these members.
  interface Settings {
    env: Record<string, string>;
    hooks: Record<string, { hooks: { url: string; headers: Record<string, string>; allowedEnvVars: string[] }[] }[]>;
    allowedHttpHookUrls: string[];
  }
  const block = blocksOf('docs/claude-code.md').find(({ marks }) => marks[0] === 'settings');
  const { env, hooks, allowedHttpHookUrls } = JSON.parse(block?.code ?? '') as Settings;
  const handlers = Object.values(hooks).flatMap(groups => groups.flatMap(group => group.hooks));

  it('name existing endpoints', async () => {
    const urls = [...handlers.map(({ url }) => url), `${env['OTEL_EXPORTER_OTLP_ENDPOINT']}/v1/logs`];
    expect(urls).toHaveLength(3);
    for (const url of urls) expect((await call('POST', new URL(url).pathname, {})).status).not.toBe(404);
  });

  it('let hooks reach the service, with the variables for their headers', () => {
    for (const { url, headers, allowedEnvVars } of handlers) {
      expect(allowedHttpHookUrls.some(allowed => url.startsWith(allowed.replace('*', '')))).toBe(true);
      const named = Object.values(headers).flatMap(value => value.match(/(?<=\$)\w+/g) ?? []);
      expect(named.toSorted()).toEqual(allowedEnvVars.toSorted());
    }
  });
});
