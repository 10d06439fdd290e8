import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { UsageIngestion } from '#usage';
import { AdjustmentLedger } from '../../libs/usage/rerating/adjustment-ledger.js';
import { Repricer } from '../../libs/usage/rerating/repricer.js';
import { ReratingJob } from '../../libs/usage/rerating/rerating.job.js';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { allUsage, createUser, report, usageEvent, type EventBody } from './usage.support.js';

const ALL_DAYS = { start_date: '2026-09-01', end_date: '2026-11-20' };
const BEGAN_ONLY = {
  status: 'pending',
  events_examined: 0,
  events_adjusted: 0,
  adjustment_usd: 0,
  created_at: '2026-11-20T12:00:00.000Z',
  finished_at: null,
};

/** Finds differences between the rollups and the events at their current cost. There must be none. */
const LEFT_OVER = (table: string, start: string): string => `
with now_costs as (
  select e.org_id, ${start} as start, e.user_id, e.model, e.provider,
    coalesce(e.cost_usd, 0) + coalesce(a.cost, 0) as cost,
    coalesce(e.list_cost_usd, e.cost_usd, 0) + coalesce(a.list_cost, 0) as list_cost,
    case when e.cost_usd is null then e.requests else 0 end + coalesce(a.unpriced, 0) as unpriced
  from governance.usage_events e left join (
    select org_id, event_id, sum(cost_delta_usd) as cost, sum(list_cost_delta_usd) as list_cost,
      sum(unpriced_delta) as unpriced
    from governance.usage_adjustments group by 1, 2) a on a.org_id = e.org_id and a.event_id = e.id)
select * from (
  select org_id, start, user_id, model, provider, sum(cost) as cost, sum(list_cost) as list_cost, sum(unpriced) as unpriced
  from now_costs group by 1, 2, 3, 4, 5) s
full join (select org_id, ${table === 'usage_daily' ? 'day' : 'hour'} as start, user_id, model, provider,
    cost_usd, list_cost_usd, unpriced_requests from governance.${table}) r using (org_id, start, user_id, model, provider)
where s.cost is distinct from r.cost_usd or s.list_cost is distinct from r.list_cost_usd or s.unpriced is distinct from r.unpriced_requests`;

describe('a re-rating', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  // Prices are in effect at once in the process that sets them. A test that needs the delay restores it.
  beforeEach(() => void jest.replaceProperty(queueOf(app), 'pauseMs', 0));

  afterEach(async () => {
    jest.restoreAllMocks();
    await expectConserved();
  });

  afterAll(() => app.close());

  const queueOf = ({ app: nest }: TestApp): ReratingJob => nest.get(ReratingJob, { strict: false });

  async function expectConserved(): Promise<void> {
    const hour = `date_trunc('hour', e.occurred_at, 'UTC')`;
    expect(await app.database.asOwner(LEFT_OVER('usage_hourly', hour))).toEqual([]);
    expect(await app.database.asOwner(LEFT_OVER('usage_daily', `(e.occurred_at at time zone 'UTC')::date`))).toEqual(
      [],
    );
  }

  /** A separate organization with a user. */
  async function organization(): Promise<{ orgId: string; call: Call; ada: string }> {
    const { orgId, call } = await app.addOrganization();
    return { orgId, call, ada: await createUser(call, 'ada') };
  }

  async function setPrice(call: Call, model: string, input: number, more: object = {}): Promise<string> {
    const body = { model, input_per_million_usd: input, output_per_million_usd: 0, ...more };
    const answer = await call('PUT', '/v1/prices', body);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.id;
  }

  async function begin(call: Call, body: object = {}): Promise<Answer['body']> {
    const answer = await call('POST', '/v1/prices/reratings', { ...ALL_DAYS, ...body });
    if (answer.status !== 202) throw new Error(answer.text);
    return answer.body;
  }

  const whenEnded = (call: Call, { id }: { id: string }): Promise<Answer['body']> =>
    until(async () => {
      const { body } = await call('GET', `/v1/prices/reratings/${id}`);
      return ['done', 'failed'].includes(body.status) && body;
    }, 30_000);

  const rerate = async (call: Call, body: object = {}): Promise<Answer['body']> =>
    whenEnded(call, await begin(call, body));

  const million = (ada: string, fields: object): EventBody =>
    usageEvent({ user_id: ada, provider: 'acme', input_tokens: 1_000_000, output_tokens: 0, ...fields });

  const eventOf = async (call: Call, { id }: EventBody): Promise<Answer['body']> =>
    (await call('GET', `/v1/usage/events/${id}`)).body;

  async function reported(call: Call, period = 'daily'): Promise<Record<string, [cost: number, unpriced: number]>> {
    const items = await allUsage(call, `period=${period}`);
    return Object.fromEntries(items.map(item => [item.model, [item.estimated_cost_usd, item.unpriced_requests]]));
  }

  it('adds the cost difference, and does not change the stored event', async () => {
    const { call, ada } = await organization();
    await setPrice(call, 'm', 3);
    const event = million(ada, { model: 'm' });
    await report(call, event);
    const before = await eventOf(call, event);
    expect(before).toMatchObject({ cost_usd: 3, adjusted_cost_usd: 3, adjustments: [] });
    const price = await setPrice(call, 'm', 2.5);
    const begun = await begin(call);
    expect(begun).toEqual({ id: expect.any(String), ...ALL_DAYS, provider: null, model: null, ...BEGAN_ONLY });
    const ended = await whenEnded(call, begun);
    expect(ended).toMatchObject({ status: 'done', events_examined: 1, events_adjusted: 1, adjustment_usd: -0.5 });
    expect(ended.finished_at).not.toBeNull();
    expect(await eventOf(call, event)).toEqual({
      ...before,
      adjusted_cost_usd: 2.5,
      adjustments: [
        {
          rerating_id: begun.id,
          cost_delta_usd: -0.5,
          list_cost_delta_usd: -0.5,
          unpriced_delta: 0,
          price_source: 'override',
          price_version: `${price}:2`,
          created_at: '2026-11-20T12:00:00.000Z',
        },
      ],
    });
    for (const period of ['hourly', 'daily', 'weekly', 'monthly']) {
      expect(await reported(call, period)).toEqual({ m: [2.5, 0] });
    }
  });

  it('changes nothing when it is repeated', async () => {
    const { call, ada } = await organization();
    await setPrice(call, 'm', 3);
    await report(call, ...[1, 2, 3].map(() => million(ada, { model: 'm' })));
    await setPrice(call, 'm', 4);
    expect(await rerate(call)).toMatchObject({ events_examined: 3, events_adjusted: 3, adjustment_usd: 3 });
    expect(await rerate(call)).toMatchObject({ events_examined: 3, events_adjusted: 0, adjustment_usd: 0 });
    await setPrice(call, 'm', 3);
    expect(await rerate(call)).toMatchObject({ events_adjusted: 3, adjustment_usd: -3 });
    expect(await reported(call)).toEqual({ m: [9, 0] });
  });

  it('prices events without a price, and removes the cost if the price was deleted', async () => {
    const { call, ada } = await organization();
    const event = million(ada, { model: 'nameless', requests: 4 });
    await report(call, event);
    expect(await reported(call)).toEqual({ nameless: [0, 4] });
    const alias = await call('PUT', '/v1/prices', {
      model: 'nameless',
      alias: { provider: 'openai', model: 'gpt-4o' },
    });
    await rerate(call);
    expect(await reported(call)).toEqual({ nameless: [2.5, 0] });
    expect(await eventOf(call, event)).toMatchObject({
      cost_usd: null,
      adjusted_cost_usd: 2.5,
      adjustments: [{ cost_delta_usd: 2.5, unpriced_delta: -4, price_source: 'genai-prices' }],
    });
    await call('DELETE', `/v1/prices/${alias.body.id}`);
    app.clock.advance(1);
    await rerate(call);
    expect(await reported(call)).toEqual({ nameless: [0, 4] });
    expect(await eventOf(call, event)).toMatchObject({
      adjusted_cost_usd: null,
      adjustments: [{}, { cost_delta_usd: -2.5, unpriced_delta: 4, price_source: null, price_version: null }],
    });
  });

  it('distinguishes a price of zero from no price', async () => {
    const { call, ada } = await organization();
    const event = million(ada, { model: 'free' });
    await report(call, event);
    await setPrice(call, 'free', 0);
    expect(await rerate(call)).toMatchObject({ events_adjusted: 1, adjustment_usd: 0 });
    expect(await eventOf(call, event)).toMatchObject({ cost_usd: null, adjusted_cost_usd: 0 });
    expect(await reported(call)).toEqual({ free: [0, 0] });
  });

  it('corrects the spending of budgets at the time of the usage', async () => {
    const { call, ada } = await organization();
    await setPrice(call, 'm', 4);
    await report(
      call,
      million(ada, { model: 'm' }),
      million(ada, { model: 'm', occurred_at: '2026-11-19T23:59:59.999Z' }),
    );
    const limits = { amount_usd: 100, period: 'daily', enforcement: 'notify' };
    const budgets = [
      { name: 'All', scope: 'organization' },
      { name: 'Ada', scope: 'user', user_id: ada },
    ];
    const spent = async () =>
      (await call('GET', '/v1/budgets')).body.items.map((item: { spent_usd: number }) => item.spent_usd);
    for (const budget of budgets)
      expect((await call('POST', '/v1/budgets', { ...limits, ...budget })).status).toBe(201);
    expect(await spent()).toEqual([4, 4]);
    await setPrice(call, 'm', 2.5);
    expect(await rerate(call)).toMatchObject({ adjustment_usd: -3 });
    expect(await spent()).toEqual([2.5, 2.5]);
    // A budget that is created after the re-rating has the same spending.
    await call('POST', '/v1/budgets', { ...limits, name: 'New', scope: 'organization' });
    expect(await spent()).toEqual([2.5, 2.5, 2.5]);
  });

  it('corrects the department of the user at the time, not the current one', async () => {
    const { call, ada } = await organization();
    const move = async (department: string) =>
      expect((await call('PUT', `/v1/users/${ada}`, { department })).status).toBe(200);
    const limits = { amount_usd: 5, period: 'monthly', enforcement: 'block', scope: 'department' };
    for (const department of ['Sales', 'Research'])
      expect((await call('POST', '/v1/budgets', { ...limits, name: department, department })).status).toBe(201);
    await setPrice(call, 'm', 4);
    await move('Sales');
    await report(call, million(ada, { model: 'm' }));
    await move('Research');
    await setPrice(call, 'm', 1);
    expect(await rerate(call)).toMatchObject({ adjustment_usd: -3 });
    const rows = await app.database.asOwner<{ name: string; spent: number }>(
      `select b.name, w.spent_usd::float8 as spent from governance.budgets b join governance.budget_windows w
       on w.org_id = b.org_id and w.budget_id = b.id
       where b.department is not null and b.name in ('Sales', 'Research') order by b.name`,
    );
    expect(rows).toEqual([
      { name: 'Research', spent: 0 },
      { name: 'Sales', spent: 1 },
    ]);
  });

  it.each<[string, object]>([
    ['a project', { scope: { project: 'copilot' } }],
    ['a tag', { scope: { 'tags.team': 'search' } }],
    ['each project', { scope: 'organization', split_by: 'project' }],
    ['each token', { scope: 'organization', split_by: 'token' }],
  ])('corrects the budget of %s', async (what, terms) => {
    const { call, ada } = await organization();
    await setPrice(call, 'm', 4);
    const budget = { name: 'B', amount_usd: 100, period: 'monthly', enforcement: 'notify', ...terms };
    const { id } = (await call('POST', '/v1/budgets', budget)).body;
    const { body: key } = await call('POST', '/v1/tokens', { name: 'key', role: 'agent', scopes: ['usage:write'] });
    const purpose = { model: 'm', project: 'copilot', tags: { team: 'search' } };
    await report(app.as(key.token), million(ada, purpose));
    await setPrice(call, 'm', 1);
    expect(await rerate(call)).toMatchObject({ adjustment_usd: -3 });
    const windows = await app.database.asOwner(
      'select part, spent_usd::float8 as spent from governance.budget_windows where budget_id = $1 and spent_usd <> 0',
      [id],
    );
    const parts: Record<string, string> = { 'each project': 'copilot', 'each token': key.id };
    expect(windows).toEqual([{ part: parts[what] ?? '', spent: 1 }]);
  });

  it('does not change costs that the sender stated', async () => {
    const { call, ada } = await organization();
    await report(call, million(ada, { model: 'm', cost_usd: '0.7' }));
    await setPrice(call, 'm', 9);
    expect(await rerate(call)).toMatchObject({ events_examined: 0, events_adjusted: 0 });
    expect(await reported(call)).toEqual({ m: [0.7, 0] });
  });

  it('uses the price at the time of the event', async () => {
    const { call, ada } = await organization();
    const [early, late] = ['2026-11-09T23:59:59.999Z', '2026-11-10T00:00:00Z'].map(occurred_at =>
      million(ada, { model: 'm', occurred_at }),
    );
    await report(call, early!, late!);
    await setPrice(call, 'm', 1);
    await setPrice(call, 'm', 5, { effective_from: '2026-11-10T00:00:00Z' });
    await rerate(call);
    expect((await eventOf(call, early!)).adjusted_cost_usd).toBe(1);
    expect((await eventOf(call, late!)).adjusted_cost_usd).toBe(5);
  });

  it('prices searches and every class of tokens as when the event was counted', async () => {
    const { call, ada } = await organization();
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 7,
      server_tool_use: { web_search_requests: 2 },
    };
    const fields = { user_id: ada, provider: 'anthropic', input_tokens: undefined, output_tokens: undefined, usage };
    const [named, nicknamed] = ['claude-sonnet-4-0', 'our-claude'].map(model => usageEvent({ ...fields, model }));
    await report(call, named!, nicknamed!);
    await call('PUT', '/v1/prices', {
      model: 'our-claude',
      alias: { provider: 'anthropic', model: 'claude-sonnet-4-0' },
    });
    await rerate(call);
    const cost = (await eventOf(call, named!)).cost_usd;
    expect(cost).toBeGreaterThan(0.02);
    expect((await eventOf(call, nicknamed!)).adjusted_cost_usd).toBe(cost);
  });

  it.each([
    [{ start_date: '2026-11-02', end_date: '2026-11-02' }, ['acme m-1 2026-11-02', 'other m-1 2026-11-02']],
    [{ provider: 'ACME', model: 'M-1' }, ['acme m-1 2026-11-01', 'acme m-1 2026-11-02', 'acme m-1 2026-11-03']],
    [{ model: '*-2', end_date: '2026-11-01' }, ['acme m-2 2026-11-01']],
    [{ model: 'm-3' }, []],
  ])('of %j adjusts only these', async (scope, expected) => {
    const { call, ada } = await organization();
    const events = [
      ['acme', 'm-1', '2026-11-01'],
      ['acme', 'm-1', '2026-11-02'],
      ['acme', 'm-1', '2026-11-03'],
      ['acme', 'm-2', '2026-11-01'],
      ['other', 'm-1', '2026-11-02'],
    ].map(([provider, model, day]) => million(ada, { provider, model, occurred_at: `${day}T23:59:59.999Z` }));
    await report(call, ...events);
    await setPrice(call, 'm-*', 1);
    const { events_adjusted, events_examined } = await rerate(call, scope);
    expect([events_adjusted, events_examined]).toEqual([expected.length, expected.length]);
    const costs = await Promise.all(events.map(event => eventOf(call, event)));
    const adjusted = costs.filter(event => event.adjusted_cost_usd === 1);
    expect(adjusted.map(event => `${event.provider} ${event.model} ${event.occurred_at.slice(0, 10)}`)).toEqual(
      expected,
    );
  });

  describe('of several steps', () => {
    /** Stores so many events without a price that a re-rating needs more than two steps, and then sets the price. */
    async function manyUnpriced(): Promise<{ call: Call; events: number }> {
      const { orgId, call, ada } = await organization();
      const events = Array.from({ length: 4_500 }, (_, at) =>
        // Many events have the same time, so that a step may end between two events of one time.
        million(ada, { model: `m-${at % 3}`, occurred_at: `2026-11-19T${String(at % 7).padStart(2, '0')}:00:00Z` }),
      );
      await app.app.get(UsageIngestion, { strict: false }).record(orgId, events);
      await setPrice(call, 'm-*', 1);
      return { call, events: events.length };
    }

    it('continues after a fault with the same result as without one', async () => {
      const { call, events } = await manyUnpriced();
      const ledger = app.app.get(AdjustmentLedger, { strict: false });
      const append = ledger.append.bind(ledger);
      const steps: number[] = [];
      jest.spyOn(ledger, 'append').mockImplementation(async (em, orgId, id, adjustments, now) => {
        await append(em, orgId, id, adjustments, now);
        steps.push(adjustments.length);
        if (steps.length === 2) throw new Error('in the middle');
      });
      expect(await rerate(call)).toMatchObject({
        status: 'done',
        events_examined: events,
        events_adjusted: events,
        adjustment_usd: events,
      });
      expect(steps).toEqual([2_000, 2_000, 2_000, 500]);
      expect(await reported(call)).toEqual({ 'm-0': [1_500, 0], 'm-1': [1_500, 0], 'm-2': [1_500, 0] });
    });

    it('is taken over from a hanging process, whose own step is then rejected', async () => {
      const { call, events } = await manyUnpriced();
      const repricer = app.app.get(Repricer, { strict: false });
      const adjustmentsOf = repricer.adjustmentsOf.bind(repricer);
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      let calls = 0;
      jest.spyOn(repricer, 'adjustmentsOf').mockImplementation(async (orgId, rated) => {
        calls++;
        const found = await adjustmentsOf(orgId, rated);
        if (calls === 2) await released;
        return found;
      });
      const begun = await begin(call);
      await until(async () => calls === 2);
      const half = (await call('GET', `/v1/prices/reratings/${begun.id}`)).body;
      expect(half).toMatchObject({ status: 'running', events_examined: 2_000, finished_at: null });
      const other = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
      try {
        await app.database.asOwner(`update governance.tasks set due_at = now() where queue = 'usage-rerating'`);
        expect(await whenEnded(call, begun)).toMatchObject({ status: 'done', events_adjusted: events });
        release();
      } finally {
        release();
        await other.close();
      }
      expect(await rerate(call)).toMatchObject({ events_examined: events, events_adjusted: 0 });
    });

    it('fails if it cannot continue, and another one completes the rest', async () => {
      const { call, events } = await manyUnpriced();
      const ledger = app.app.get(AdjustmentLedger, { strict: false });
      const append = ledger.append.bind(ledger);
      let steps = 0;
      const broken = jest.spyOn(ledger, 'append').mockImplementation(async (em, orgId, id, adjustments, now) => {
        if (++steps > 1) throw new Error('for good');
        await append(em, orgId, id, adjustments, now);
      });
      const begun = await begin(call);
      // Five faults dead-letter the job. Makes it due after each fault, because the delays between them take minutes.
      const ended = await until(async () => {
        await app.database.asOwner(
          `update governance.tasks set due_at = now() where queue = 'usage-rerating' and lease_token is null and faults > 0
             and quarantined_at is null`,
        );
        const { body } = await call('GET', `/v1/prices/reratings/${begun.id}`);
        return body.status === 'failed' && body;
      }, 30_000);
      expect(ended).toMatchObject({ events_adjusted: 2_000, adjustment_usd: 2_000, finished_at: expect.any(String) });
      broken.mockRestore();
      expect(await rerate(call)).toMatchObject({ status: 'done', events_adjusted: events - 2_000 });
    });
  });

  it('waits for transactions that write usage or create a budget', async () => {
    const { orgId, call, ada } = await organization();
    await report(call, million(ada, { model: 'm' }));
    await setPrice(call, 'm', 4);
    const writer = new pg.Client({ connectionString: app.database.url });
    await writer.connect();
    try {
      await writer.query('begin');
      await writer.query(`select pg_advisory_xact_lock(hashtextextended('governance.usage_rollups:' || $1, 0))`, [
        orgId,
      ]);
      const begun = await begin(call);
      const waiters = `select from pg_stat_activity where datname = current_database() and wait_event = 'advisory' and query like '%usage_rollups%'`;
      await until(async () => (await app.database.asOwner(waiters)).length > 0);
      expect(await reported(call)).toEqual({ m: [0, 1] });
      await writer.query('commit');
      expect(await whenEnded(call, begun)).toMatchObject({ events_adjusted: 1, adjustment_usd: 4 });
    } finally {
      await writer.end();
    }
  });

  it('loses nothing while usage is reported and prices change, on two processes', async () => {
    jest.restoreAllMocks();
    const { orgId, call, ada } = await organization();
    const other = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    try {
      const ingestions = [app, other].map(({ app: nest }) => nest.get(UsageIngestion, { strict: false }));
      const sent: EventBody[] = [];
      const hours = () => String(Math.floor(Math.random() * 24)).padStart(2, '0');
      const over = new AbortController();
      const send = async (ingestion: UsageIngestion): Promise<void> => {
        while (!over.signal.aborted) {
          const events = Array.from({ length: 40 }, () =>
            million(ada, { model: `m-${sent.length % 3}`, occurred_at: `2026-11-19T${hours()}:30:00Z` }),
          );
          sent.push(...events);
          const { accepted } = await ingestion.record(orgId, events);
          expect(accepted).toBe(40);
          await new Promise(done => setTimeout(done, 10));
        }
      };
      const senders = ingestions.map(send);
      await setPrice(call, 'm-0', 1);
      await rerate(call);
      await setPrice(call, 'm-*', 2);
      const { events_examined } = await rerate(call);
      over.abort();
      await Promise.all(senders);
      expect(events_examined).toBeGreaterThan(0);
      const share = (model: string) => sent.filter(event => event['model'] === model).length;
      // All usage has the last prices: usage that arrived after the prices took effect, and earlier usage, which the
      // re-rating corrected.
      expect(await reported(call)).toEqual({
        'm-0': [share('m-0'), 0],
        'm-1': [2 * share('m-1'), 0],
        'm-2': [2 * share('m-2'), 0],
      });
    } finally {
      await other.close();
    }
  });

  it('is refused while another re-rating of the organization is running, but not because of other organizations', async () => {
    jest.restoreAllMocks();
    const [mine, theirs] = [await organization(), await organization()];
    const begun = await begin(mine.call);
    const second = await mine.call('POST', '/v1/prices/reratings', ALL_DAYS);
    expect([second.status, second.body.error]).toEqual([409, 'conflict']);
    const other = await begin(theirs.call);
    await Promise.all([whenEnded(mine.call, begun), whenEnded(theirs.call, other)]);
    expect((await begin(mine.call)).status).toBe('pending');
  });

  it('is listed newest first, is in the audit log, and is visible only to its own organization', async () => {
    const { call } = await organization();
    const ended = [];
    for (const model of ['a', 'b']) {
      app.clock.advance(1);
      ended.unshift(await rerate(call, { provider: ' acme ', model }));
    }
    const { items, total_count } = (await call('GET', '/v1/prices/reratings')).body;
    expect([items, total_count]).toEqual([ended, 2]);
    const first = (await call('GET', '/v1/prices/reratings?limit=1')).body;
    const cursor = encodeURIComponent(first.next_cursor);
    const rest = (await call('GET', `/v1/prices/reratings?limit=1&cursor=${cursor}`)).body;
    expect([...first.items, ...rest.items]).toEqual(ended);
    const { id } = ended[0]!;
    expect((await call('GET', `/v1/audit-log?resource_id=${id}`)).body.items).toMatchObject([
      { action: 'price.rerating_begun', resource_type: 'price_rerating', after: { provider: 'acme', model: 'b' } },
    ]);
    const { call: stranger } = await app.addOrganization();
    expect((await stranger('GET', `/v1/prices/reratings/${id}`)).status).toBe(404);
    expect((await stranger('GET', '/v1/prices/reratings')).body.items).toEqual([]);
    expect((await call('GET', '/v1/prices/reratings/none')).status).toBe(404);
  });

  it('needs the right to change prices', async () => {
    const auditor = await app.addToken('auditor');
    expect((await auditor.call('GET', '/v1/prices/reratings')).status).toBe(200);
    expect((await auditor.call('POST', '/v1/prices/reratings', ALL_DAYS)).status).toBe(403);
  });

  it.each([
    ['start_date', { end_date: '2026-11-20' }],
    ['end_date', { start_date: '2026-11-20' }],
    ['start_date', { start_date: '2026-11-21', end_date: '2026-11-20' }],
    ['start_date', { ...ALL_DAYS, start_date: '2026-02-30' }],
    ['model', { ...ALL_DAYS, model: ' ' }],
    ['provider', { ...ALL_DAYS, provider: 7 }],
    ['colour', { ...ALL_DAYS, colour: 'red' }],
  ])('refuses %s if it is invalid: %j', async (field, body) => {
    const answer = await app.call('POST', '/v1/prices/reratings', body);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].field).toBe(field);
  });
});
