import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { PolicySimulator, type SimulationControl } from '#policy';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { report, usageEvent } from './usage.support.js';

const DAY_MS = 86_400_000;
const NOBODY = '00000000-0000-4000-8000-000000000000';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});

afterAll(() => app?.close());

interface Stage {
  orgId: string;
  token: string;
  call: Call;
  person(details?: object): Promise<string>;
  policy(fields: object): Promise<string>;
  ask(user_id: string, request?: object): Promise<Answer['body']>;
  simulate(body: object): Promise<Answer['body']>;
}

async function stage(): Promise<Stage> {
  const { orgId, token, call } = await app.addOrganization();
  const made = async (path: string, body: object): Promise<Answer['body']> => {
    const answer = await call('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  return {
    orgId,
    token,
    call,
    person: async details =>
      (await made('/v1/users', { email: `${randomUUID()}@example.com`, name: 'Ada', department: 'Sales', ...details }))
        .id,
    policy: async fields => (await made('/v1/policies', { name: 'p', ...fields })).id,
    ask: (user_id, request) => made('/v1/decisions', { user_id, model: 'large', provider: 'openai', ...request }),
    simulate: body => made('/v1/policies/simulate', body),
  };
}

const BLOCK_LARGE = { name: 'No large models', action: 'block', model: 'large' };
const countOf = (body: Answer['body'], action: string) =>
  body.by_action.find((one: { action: string }) => one.action === action);

/** The number of rows of each table, and the last transaction that wrote to it. */
async function contents(): Promise<object> {
  // Leaves out the last use of credentials, which is written with a delay, for earlier requests.
  const tables = await app.database.asOwner<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'governance'::regnamespace and relkind in ('r', 'p')
       and not relispartition and relname not in ('access_tokens', 'rate_limits')`,
  );
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const state = `select count(*), max(xmin::text::bigint) as written_by from governance.${name}`;
      return [name, (await app.database.asOwner(state))[0]] as const;
    }),
  );
  return Object.fromEntries(found);
}

describe('POST /v1/policies/simulate', () => {
  it('answers with the affected users, how often, and at what cost', async () => {
    const { person, ask, call, simulate } = await stage();
    const [ada, bob] = [await person({ email: 'ada@example.com' }), await person({ department: 'Research' })];
    const first = await ask(ada);
    app.clock.advance(1_000);
    const last = await ask(ada);
    for (const model of ['small', 'large']) await ask(bob, { model });
    // The sum of 0.1 and 0.2 must be exactly 0.3.
    const usage = (fields: object) => usageEvent({ user_id: ada, model: 'large', ...fields });
    await report(
      call,
      usage({ decision_id: first.id, cost_usd: '0.1' }),
      usage({ decision_id: last.id, cost_usd: '0.2' }),
    );
    const conditions = { department: { in: ['Sales'] } };
    const body = await simulate({ policy: { ...BLOCK_LARGE, conditions } });
    const counts = { matched: 2, changed: 2, cost_usd: 0.3 };
    expect(body).toEqual({
      from: new Date(app.clock.now().getTime() - 7 * DAY_MS).toISOString(),
      to: app.clock.now().toISOString(),
      evaluated: 4,
      ...counts,
      newly_refused: 2,
      newly_allowed: 0,
      estimated: false,
      by_action: [
        { action: 'block', before: 0, after: 2 },
        { action: 'require_approval', before: 0, after: 0 },
        { action: 'alert', before: 0, after: 0 },
        { action: 'allow', before: 4, after: 2 },
      ],
      by_user: [{ user_id: ada, user_email: 'ada@example.com', ...counts }],
      by_department: [{ department: 'Sales', ...counts }],
      by_model: [{ model: 'large', ...counts }],
      others: { by_user: null, by_department: null, by_model: null },
      sample: [last, first].map(({ id, evaluated_at }) => ({
        decision_id: id,
        evaluated_at,
        user_id: ada,
        user_email: 'ada@example.com',
        department: 'Sales',
        provider: 'openai',
        model: 'large',
        before: { action: 'allow', reason: 'no_policy_matched' },
        after: { action: 'block', reason: 'policy' },
        matched_conditions: [{ attribute: 'department', operator: 'in', operand: ['Sales'], value: 'Sales' }],
      })),
      usage: {
        from: '2026-11-14',
        to: '2026-11-20',
        requests: 2,
        matched_requests: 2,
        refused_requests: 2,
        refused_cost_usd: 0.3,
      },
    });
  });

  it('predicts each decision that is made after the draft has become a policy', async () => {
    const { orgId, person, policy, ask, call } = await stage();
    const people = await Promise.all([
      person({ department: 'Sales' }),
      person({ department: 'Research', attributes: { level: 3 } }),
      person({ department: null, role: 'admin' }),
      person({ attributes: { level: 1 } }),
    ]);
    await call('POST', `/v1/users/${people[3]}/offboard`);
    await policy({ action: 'alert', model: 'lar*', conditions: { department: { exists: false } } });
    await policy({ action: 'block', model: 'banned' });
    const stored = await policy({ action: 'require_approval', conditions: { 'attributes.level': { gte: 3 } } });
    const requests = [...people, randomUUID()].flatMap(user_id =>
      ['large', 'small', 'banned'].flatMap(model =>
        [undefined, { level: 5 }].map(attributes => ({ user_id, model, attributes })),
      ),
    );
    const asked = new Map<string, object>();
    for (const { user_id, ...request } of requests)
      asked.set((await ask(user_id, request)).id, { user_id, ...request });
    const draft = { action: 'block', model: 'large', conditions: { role: { not_eq: 'admin' } } } as const;
    const foretold = new Map<string, string[]>();
    const onJudged: SimulationControl['onJudged'] = (id, { before, after }) => void foretold.set(id, [before, after]);
    await app.app.get(PolicySimulator).simulate(orgId, { draft, policyId: stored, days: 1 }, { onJudged });
    const outcomes = async () => {
      const found: string[] = [];
      for (const request of asked.values()) {
        const answer = await call('POST', '/v1/decisions', { provider: 'openai', ...request });
        found.push(answer.body.action);
      }
      return found;
    };
    const before = await outcomes();
    expect((await call('PUT', `/v1/policies/${stored}`, draft)).status).toBe(200);
    const after = await outcomes();
    expect([...asked.keys()].map(id => foretold.get(id))).toEqual(before.map((action, at) => [action, after[at]]));
    expect(new Set(after)).toEqual(new Set(['block', 'alert', 'allow']));
  });

  it('has the same result if almost every request is different', async () => {
    const { orgId, policy, person, simulate } = await stage();
    await policy({ name: 'Seniors may', action: 'alert', conditions: { 'attributes.level': { gte: 5 } } });
    const ada = await person();
    // Each request of the first half has a different level. Requests of the second half have one of ten levels.
    await app.database.asOwner(
      `insert into governance.decisions (org_id, id, occurred_at, user_id, provider, model, action, allowed, reason, policies, attributes)
       select $1, (substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), $2,
         'openai', 'large', 'allow', true, 'no_policy_matched', '[]',
         jsonb_build_object('name', 'Ada', 'status', 'active', 'attributes', jsonb_build_object('level', case when n < 4000 then n else n % 10 end))
       from (select n, lpad(to_hex($3::bigint - n), 12, '0') as ms from generate_series(0, 7999) n) numbered`,
      [orgId, ada, app.clock.now().getTime() - 60_000],
    );
    const draft = {
      name: 'No large models for juniors',
      action: 'block',
      model: 'large',
      conditions: { 'attributes.level': { lt: 5 } },
    };
    const { evaluated, matched, changed, by_action } = await simulate({ policy: draft });
    expect({ evaluated, matched, changed }).toEqual({ evaluated: 8000, matched: 2005, changed: 2005 });
    expect(by_action).toEqual(
      expect.arrayContaining([
        { action: 'allow', before: 2005, after: 0 },
        { action: 'alert', before: 5995, after: 5995 },
        { action: 'block', before: 0, after: 2005 },
      ]),
    );
  });

  it('has the same result if requests are too large to be read together', async () => {
    const { orgId, person, simulate } = await stage();
    const ada = await person();
    // The first ten decisions have 400,000 bytes each, and all others almost none.
    await app.database.asOwner(
      `insert into governance.decisions (org_id, id, occurred_at, user_id, provider, model, action, allowed, reason, policies, attributes)
       select $1, (substr(ms, 1, 8) || '-' || substr(ms, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, now(), $2,
         'openai', 'large', 'allow', true, 'no_policy_matched', '[]',
         jsonb_build_object('name', 'Ada', 'status', 'active', 'attributes', jsonb_build_object('level', n, 'note',
           case when n < 10 then repeat('😀', 100000) else repeat('é', n) end))
       from (select n, lpad(to_hex($3::bigint - n), 12, '0') as ms from generate_series(0, 299) n) numbered`,
      [orgId, ada, app.clock.now().getTime() - 60_000],
    );
    const draft = { ...BLOCK_LARGE, conditions: { 'attributes.level': { lt: 200 } } };
    const { evaluated, matched, changed, sample } = await simulate({ policy: draft });
    expect({ evaluated, matched, changed }).toEqual({ evaluated: 300, matched: 200, changed: 200 });
    expect(sample.map((one: Answer['body']) => one.matched_conditions[0].value)).toEqual([...Array(20).keys()]);
  });

  it('reads the decisions of the given number of days', async () => {
    const { person, ask, simulate } = await stage();
    const ada = await person();
    const now = app.clock.now();
    for (const age of [2 * DAY_MS + 1, 2 * DAY_MS, DAY_MS, 0]) {
      app.clock.set(new Date(now.getTime() - age));
      await ask(ada);
    }
    const evaluated = async (days?: number) =>
      (await simulate({ policy: BLOCK_LARGE, ...(days === undefined ? {} : { days }) })).evaluated;
    expect([await evaluated(1), await evaluated(2), await evaluated(3), await evaluated()]).toEqual([2, 3, 4, 4]);
  });

  it('replaces a stored policy by the draft, or removes it if the draft is disabled', async () => {
    const { person, policy, ask, simulate } = await stage();
    const ada = await person();
    const id = await policy({ ...BLOCK_LARGE, conditions: { department: { in: ['Sales'] } } });
    await ask(ada);
    expect(await simulate({ policy_id: id, policy: {} })).toMatchObject({ matched: 1, changed: 0, newly_allowed: 0 });
    const other = await simulate({ policy_id: id.toUpperCase(), policy: { model: 'small' } });
    expect(other).toMatchObject({ matched: 0, changed: 1, newly_allowed: 1, newly_refused: 0, cost_usd: 0 });
    const out = await simulate({ policy_id: id, policy: { enabled: false } });
    expect(out).toMatchObject({ matched: 0, changed: 1, newly_allowed: 1 });
    expect(out.sample[0]).toMatchObject({
      before: { action: 'block' },
      after: { action: 'allow', reason: 'no_policy_matched' },
      matched_conditions: [{ attribute: 'department', value: 'Sales' }],
    });
    // A disabled policy matches nothing unless the draft enables it.
    const idle = await policy({ ...BLOCK_LARGE, model: 'large', enabled: false });
    expect(await simulate({ policy_id: idle, policy: {} })).toMatchObject({ matched: 0 });
    expect(await simulate({ policy_id: idle, policy: { enabled: true } })).toMatchObject({ matched: 1, changed: 0 });
  });

  it('uses user attributes as they were recorded, and current ones for usage', async () => {
    const { person, ask, call, simulate } = await stage();
    const ada = await person({ department: 'Sales' });
    await ask(ada);
    await report(call, usageEvent({ user_id: ada, model: 'large', cost_usd: 2, requests: 3 }));
    await call('PUT', `/v1/users/${ada}`, { department: 'Research' });
    const conditions = { department: { in: ['Research'] } };
    expect(await simulate({ policy: { ...BLOCK_LARGE, conditions } })).toMatchObject({
      evaluated: 1,
      matched: 0,
      usage: { requests: 3, matched_requests: 3, refused_requests: 3, refused_cost_usd: 2 },
    });
  });

  it('counts a sampled record for all decisions that it represents', async () => {
    const { orgId, person, ask, call, simulate } = await stage();
    const ada = await person();
    const { id } = await ask(ada);
    await ask(ada, { model: 'small' });
    expect((await call('GET', '/v1/decisions')).body.items).toHaveLength(2);
    const sampled = `update governance.decisions set sample_rate = 0.1 where org_id = $1 and id = $2`;
    await app.database.asOwner(sampled, [orgId, id]);
    expect(await simulate({ policy: BLOCK_LARGE })).toMatchObject({
      evaluated: 11,
      matched: 10,
      changed: 10,
      estimated: true,
    });
  });

  it.each([0, 0.5])('says that it is an estimate if a share of %d is recorded, whatever was matched', async share => {
    const { orgId, person, ask, call } = await stage();
    await ask(await person());
    expect((await call('GET', '/v1/decisions')).body.items).toHaveLength(1);
    const decisions = { sampleAllowed: share };
    const sampling = await startTestApp({ testDatabase: app.database, time: app.clock, orgId, decisions });
    try {
      const { body } = await sampling.call('POST', '/v1/policies/simulate', { policy: BLOCK_LARGE });
      expect(body).toMatchObject({ evaluated: 1, changed: 1, estimated: true });
    } finally {
      await sampling.close();
    }
  });

  it('adds re-rating adjustments to the cost', async () => {
    const { orgId, person, ask, call, simulate } = await stage();
    const ada = await person();
    const { id } = await ask(ada);
    const event = usageEvent({ user_id: ada, model: 'large', decision_id: id, cost_usd: '1.5' });
    await report(call, event);
    await app.database.asOwner(
      `insert into governance.usage_adjustments
         (org_id, event_id, rerating_id, occurred_at, cost_delta_usd, unpriced_delta, created_at)
       values ($1, $2, gen_random_uuid(), now(), -0.25, 0, now())`,
      [orgId, event.id],
    );
    expect((await simulate({ policy: BLOCK_LARGE })).cost_usd).toBe(1.25);
  });

  it('says how many decisions could not be simulated if a policy can no longer be evaluated', async () => {
    const { orgId, person, policy, ask, simulate } = await stage();
    const ada = await person();
    await ask(ada);
    const id = await policy({ action: 'require_approval' });
    const gone = `update governance.policies set conditions = '{"name": {"near": 1}}' where org_id = $1 and id = $2`;
    await app.database.asOwner(gone, [orgId, id]);
    const body = await simulate({ policy: BLOCK_LARGE });
    expect(countOf(body, 'unavailable')).toEqual({ action: 'unavailable', before: 1, after: 0 });
    expect(body).toMatchObject({ changed: 1, newly_refused: 0, newly_allowed: 0 });
    expect(body.sample[0].before).toEqual({ action: 'unavailable', reason: null });
  });

  it('ignores other organizations', async () => {
    const [theirs, mine] = [await stage(), await stage()];
    const id = await theirs.policy(BLOCK_LARGE);
    await theirs.ask(await theirs.person());
    const body = await mine.simulate({ policy: { name: 'All', action: 'block' } });
    expect(body).toMatchObject({ evaluated: 0, by_user: [], sample: [], usage: { requests: 0 } });
    const foreign = await mine.call('POST', '/v1/policies/simulate', { policy_id: id, policy: {} });
    const unknown = await mine.call('POST', '/v1/policies/simulate', { policy_id: NOBODY, policy: {} });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(unknown.body.message).toBe(foreign.body.message.replace(id, NOBODY));
  });

  it('writes nothing', async () => {
    const { orgId, person, policy, ask, call } = await stage();
    const ada = await person();
    const id = await policy(BLOCK_LARGE);
    const { id: decision_id } = await ask(ada, { model: 'small' });
    await report(call, usageEvent({ user_id: ada, model: 'small', decision_id }));
    await call('GET', '/v1/decisions');
    const before = await contents();
    const draft = { model: null };
    const { changed } = await app.app.get(PolicySimulator).simulate(orgId, { draft, policyId: id });
    expect(changed).toBe(1);
    expect(await contents()).toEqual(before);
  });
});

describe('a refused simulation', () => {
  it.each([
    ['policy', {}],
    ['policy', { policy: [] }],
    ['policy.name', { policy: { action: 'block' } }],
    ['policy.action', { policy: { name: 'p' } }],
    ['policy.action', { policy: { name: 'p', action: 'stop' } }],
    ['policy.model', { policy: { ...BLOCK_LARGE, model: '' } }],
    ['policy.colour', { policy: { ...BLOCK_LARGE, colour: 'red' } }],
    ['policy.conditions.team', { policy: { ...BLOCK_LARGE, conditions: { team: { in: ['a'] } } } }],
    ['policy.conditions.name.in', { policy_id: NOBODY, policy: { conditions: { name: { in: 'a' } } } }],
    ['policy_id', { policy: BLOCK_LARGE, policy_id: 'mine' }],
    ['days', { policy: BLOCK_LARGE, days: 0 }],
    ['days', { policy: BLOCK_LARGE, days: 91 }],
    ['days', { policy: BLOCK_LARGE, days: 1.5 }],
    ['limit', { policy: BLOCK_LARGE, limit: 1 }],
  ])('names %s', async (field, body) => {
    const answer = await app.call('POST', '/v1/policies/simulate', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ field }]);
  });

  it('accepts a policy as it was read', async () => {
    const policy = (await app.call('POST', '/v1/policies', BLOCK_LARGE)).body;
    for (const policy_id of [undefined, policy.id]) {
      expect((await app.call('POST', '/v1/policies/simulate', { policy, policy_id })).status).toBe(200);
    }
  });

  it('needs the right to read policies, decisions and usage, because it shows costs', async () => {
    const simulate = async (scopes: string[] | undefined, role = 'auditor') => {
      const { token } = (await app.call('POST', '/v1/tokens', { name: 't', role, scopes })).body;
      return app.as(token)('POST', '/v1/policies/simulate', { policy: BLOCK_LARGE });
    };
    expect((await simulate(undefined)).status).toBe(200);
    expect((await simulate(['decisions:read'])).status).toBe(403);
    expect((await simulate(undefined, 'agent')).status).toBe(403);
    const withoutCosts = await simulate(['policies:read', 'decisions:read']);
    expect([withoutCosts.status, withoutCosts.body.message]).toEqual([403, 'This needs the scope usage:read as well.']);
    expect(withoutCosts.text).not.toContain('cost_usd');
    expect((await simulate(['policies:read', 'decisions:read', 'usage:read'])).status).toBe(200);
    const { status, body } = await simulate(['policies:read']);
    expect({ status, message: body.message }).toEqual({
      status: 403,
      message: 'This needs the scope decisions:read and usage:read as well.',
    });
  });
});

describe('a slow simulation', () => {
  /** Blocks every reader of decisions. */
  async function hold(): Promise<() => Promise<void>> {
    const client = new pg.Client({ connectionString: app.database.url });
    await client.connect();
    await client.query('begin');
    await client.query('lock table governance.decisions in access exclusive mode');
    return async () => {
      await client.query('rollback');
      await client.end();
    };
  }

  function start({ token }: Stage, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    return fetch(`${app.url}/v1/policies/simulate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ policy: BLOCK_LARGE }),
      ...(signal ? { signal } : {}),
    });
  }

  const LINES = { accept: 'application/x-ndjson' };

  it('streams its progress as lines, with the result in the last one', async () => {
    const organization = await stage();
    const ada = await organization.person();
    await organization.ask(ada);
    const response = await start(organization, LINES);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    const lines = (await response.text()).trimEnd().split('\n');
    const parsed = lines.map(line => JSON.parse(line));
    expect(parsed[0]).toEqual({ progress: { evaluated: 0, total_estimate: 1 } });
    expect(parsed.at(-1)).toEqual({ result: await organization.simulate({ policy: BLOCK_LARGE }) });
  });

  it('answers at once if the caller does not accept lines', async () => {
    const { call } = await stage();
    const refusing = { accept: 'application/json, application/x-ndjson;q=0' };
    const answer = await call('POST', '/v1/policies/simulate', { policy: BLOCK_LARGE }, refusing);
    expect(answer).toMatchObject({ status: 200, body: { evaluated: 0 } });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  });

  it('is refused with an error status before the first line', async () => {
    const organization = await stage();
    const answer = await organization.call('POST', '/v1/policies/simulate', { policy: {} }, LINES);
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const unknown = await organization.call('POST', '/v1/policies/simulate', { policy: {}, policy_id: NOBODY }, LINES);
    expect(unknown.status).toBe(404);
  });

  it('is the only one of its organization', async () => {
    const [one, other] = [await stage(), await stage()];
    const release = await hold();
    const first = start(one, {});
    const second = await until(async () => {
      const answer = await one.call('POST', '/v1/policies/simulate', { policy: BLOCK_LARGE });
      return answer.status === 409 && answer;
    }).finally(() => void release());
    expect(second.body).toMatchObject({
      error: 'conflict',
      message: expect.stringMatching(/is already running; wait/),
    });
    expect((await first).status).toBe(200);
    await other.simulate({ policy: BLOCK_LARGE });
    await one.simulate({ policy: BLOCK_LARGE });
  });

  it.each([
    ['one answer', {}],
    ['lines', LINES],
  ])('ends when its client disconnects while it waits for %s', async (_what, headers) => {
    const organization = await stage();
    await organization.ask(await organization.person());
    const simulate = jest.spyOn(app.app.get(PolicySimulator), 'simulate');
    const release = await hold();
    try {
      const leave = new AbortController();
      const left = start(organization, headers, leave.signal).then(
        response => response.text(),
        (error: unknown) => error,
      );
      await until(async () => simulate.mock.calls.length > 0);
      const control = simulate.mock.calls[0]?.[2];
      leave.abort();
      await until(async () => control?.signal?.aborted);
      await left;
    } finally {
      await release();
    }
    await expect(simulate.mock.results[0]?.value).rejects.toThrow('The client disconnected.');
    simulate.mockRestore();
    await organization.simulate({ policy: BLOCK_LARGE });
  });
});
