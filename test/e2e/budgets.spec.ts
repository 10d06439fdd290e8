import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SpendGuard, type SpendVerdict } from '#core';
import { startTestApp, type Answer, type Call, type TestApp } from '../support/test-app.js';
import { report, usageEvent, type EventBody } from './usage.support.js';

const ALL = { name: 'Everything', scope: 'organization', amount_usd: 100, period: 'daily', enforcement: 'notify' };
const PERIODS = ['daily', 'weekly', 'monthly'] as const;
const NOW = Date.parse('2026-11-20T12:00:00Z');
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5'];
const PROJECTS = ['copilot', 'chat'];
const TEAMS = ['search', 'ads'];

/** A separate organization with users in two departments. */
interface Stage {
  orgId: string;
  call: Call;
  users: string[];
}

describe('budgets', () => {
  let app: TestApp;
  let replica: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
    replica = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
  });

  afterAll(async () => {
    await replica?.close();
    await app?.close();
  });

  async function newStage(timeZone = 'UTC'): Promise<Stage> {
    const { orgId, call } = await app.addOrganization();
    await call('PATCH', '/v1/organization', { time_zone: timeZone });
    const users: string[] = [];
    for (const [name, department] of [
      ['ada', 'Sales'],
      ['bob', 'Sales'],
      ['cyd', 'Support'],
      ['dot', null],
    ] as const) {
      const { body } = await call('POST', '/v1/users', { email: `${name}@example.com`, name, department });
      users.push(body.id);
    }
    return { orgId, call, users };
  }

  async function createBudget(call: Call, fields: object = {}): Promise<Answer['body']> {
    const { status, body, text } = await call('POST', '/v1/budgets', { ...ALL, ...fields });
    if (status !== 201) throw new Error(text);
    return body;
  }

  const read = async (call: Call, id: string) => (await call('GET', `/v1/budgets/${id}`)).body;

  /** Types and thresholds of the events of a budget, the lower threshold first. */
  async function alertsOf({ orgId }: Stage, id: string): Promise<string[]> {
    const rows = await app.database.asOwner<{ type: string; body: string }>(
      `select type, convert_from(body, 'UTF8') as body from governance.events where org_id = $1`,
      [orgId],
    );
    return rows
      .map(({ type, body }) => ({ type, data: JSON.parse(body).data }))
      .filter(({ data }) => data.budget_id === id)
      .toSorted((a, b) => a.data.threshold - b.data.threshold)
      .map(({ type, data }) => `${type} ${data.threshold}`);
  }

  /** Picodollars of the stored usage, summed by PostgreSQL. */
  async function usedIn({ orgId }: Stage, from: string, until: string, which = 'true'): Promise<number> {
    const [row] = await app.database.asOwner<{ sum: string }>(
      `select coalesce(sum(e.cost_usd), 0)::text as sum from governance.usage_events e
       join governance.users u on u.org_id = e.org_id and u.id = e.user_id
       where e.org_id = $1 and e.occurred_at >= $2 and e.occurred_at < $3 and (${which})`,
      [orgId, from, until],
    );
    return Number(row?.sum);
  }

  /** The spending of a budget and the expected spending. */
  async function audit(stage: Stage, budget: Answer['body'], which?: string): Promise<object> {
    const { spent_usd: spent, window_start: start, window_end: end } = await read(stage.call, budget.id);
    return { start, spent, used: await usedIn(stage, start, end, which) };
  }

  async function expectExact(stage: Stage, budget: Answer['body'], which?: string): Promise<void> {
    const found = (await audit(stage, budget, which)) as { spent: number; used: number };
    expect({ budget: budget.name, ...found }).toEqual({ budget: budget.name, ...found, spent: found.used });
  }

  let drawn = 7;
  /** A pseudorandom integer of at least 0 and less than `limit`. Every run draws the same numbers. */
  function draw(limit: number): number {
    drawn = (drawn * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((drawn / 2_147_483_648) * limit);
  }

  /** Usage of the last days, with more usage near the present. The costs have all twelve decimals. */
  function someUsage({ users }: Stage, count: number, days = 40): EventBody[] {
    return Array.from({ length: count }, () => {
      const ago = draw(2) === 0 ? draw(days * 86_400_000) : draw(2 * 86_400_000);
      return usageEvent({
        user_id: users[draw(users.length)],
        model: MODELS[draw(MODELS.length)],
        occurred_at: new Date(NOW - ago).toISOString(),
        cost_usd: `0.${String(draw(1_000_000)).padStart(12, '0')}`,
        ...(draw(3) === 0
          ? {}
          : { project: PROJECTS[draw(PROJECTS.length)], tags: { team: TEAMS[draw(TEAMS.length)] } }),
      });
    });
  }

  const reserve = async (stage: Stage, decisionId: string): Promise<SpendVerdict | undefined> =>
    app.app.get<SpendGuard>(SpendGuard, { strict: false }).reserve(stage.orgId, {
      decisionId,
      userId: String(stage.users[0]),
      department: 'Sales',
      provider: 'openai',
      model: 'gpt-4o',
      inputTokens: 1_000_000,
      outputTokens: 0,
      at: app.clock.now(),
    });

  describe('budgets that begin in the middle of a window', () => {
    it.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'])(
      'have spent exactly the usage of the window, in %s',
      async timeZone => {
        const stage = await newStage(timeZone);
        const { call, users } = stage;
        await report(call, ...someUsage(stage, 900));
        // Reports usage exactly at the start of each window, one millisecond before it and one after.
        for (const period of PERIODS) {
          const { window_start: start, id } = await createBudget(call, { period });
          await call('DELETE', `/v1/budgets/${id}`);
          for (const offset of [-1, 0, 1]) {
            const occurred_at = new Date(Date.parse(start) + offset).toISOString();
            await report(call, usageEvent({ user_id: users[0], occurred_at, cost_usd: '1.000000000001' }));
          }
        }
        const kinds: [object, string][] = [
          [{ name: 'all' }, 'true'],
          [{ name: 'Sales', scope: 'department', department: 'Sales' }, `u.department = 'Sales'`],
          [{ name: 'nobody', scope: 'department', department: 'sales' }, 'false'],
          [{ name: 'ada', scope: 'user', user_id: users[0] }, `u.id = '${users[0]}'`],
          [{ name: 'gpt', scope: 'model', model: 'GPT-*' }, `e.model like 'gpt-%'`],
          [{ name: 'one', scope: 'model', model: 'gpt-4o' }, `e.model = 'gpt-4o'`],
          [{ name: 'copilot', scope: { project: 'copilot' } }, `e.project = 'copilot'`],
          [
            { name: 'search', scope: { department: 'Sales', 'tags.team': 'search', model: 'gpt-*' } },
            `u.department = 'Sales' and e.tags ->> 'team' = 'search' and e.model like 'gpt-%'`,
          ],
          [
            { name: 'ada in chat', scope: { user_id: users[0], project: 'chat' } },
            `u.id = '${users[0]}' and e.project = 'chat'`,
          ],
        ];
        const budgets: [Answer['body'], string][] = [];
        for (const period of PERIODS) {
          for (const [fields, which] of kinds) budgets.push([await createBudget(call, { ...fields, period }), which]);
        }
        for (const [budget, which] of budgets) await expectExact(stage, budget, which);
        expect((await read(call, budgets[0]?.[0].id)).spent_usd).toBeGreaterThan(0);
        // Budgets also count usage that is reported after their creation.
        await report(call, ...someUsage(stage, 100, 2));
        for (const [budget, which] of budgets) await expectExact(stage, budget, which);
      },
    );

    it.each(['UTC', 'Asia/Kathmandu'])('begin with the usage of each part, in %s', async timeZone => {
      const stage = await newStage(timeZone);
      const { call, users } = stage;
      await report(call, ...someUsage(stage, 300));
      const moved = await call('PUT', `/v1/users/${users[0]}`, { department: 'Support' });
      expect(moved.status).toBe(200);
      const columns = {
        user: 'e.user_id::text',
        department: 'e.department',
        project: 'e.project',
        token: 'e.token_id',
      };
      for (const [split, column] of Object.entries(columns)) {
        const budget = await createBudget(call, { split_by: split, period: 'yearly', scope: { model: 'gpt-*' } });
        const { body } = await call('GET', `/v1/budgets/${budget.id}/parts?limit=100`);
        const parts = body.items.map((item: Answer['body']) => [item.part, item.spent_usd]);
        const { window_start: start, window_end: end } = body.items[0];
        const used = await app.database.asOwner<{ part: string; spent: number }>(
          `select coalesce(${column}::text, '') as part, sum(e.cost_usd)::float8 as spent from governance.usage_events e
           where e.org_id = $1 and e.occurred_at >= $2 and e.occurred_at < $3 and e.model like 'gpt-%' group by 1`,
          [stage.orgId, start, end],
        );
        const sorted = (rows: unknown[]) => rows.map(String).toSorted();
        expect({ split, parts: sorted(parts) }).toEqual({
          split,
          parts: sorted(used.map(({ part, spent }) => [part, spent])),
        });
      }
    });

    it('miss nothing and count nothing twice while usage is ingested on two replicas', async () => {
      const stage = await newStage('Asia/Kathmandu');
      const there = replica.as(await tokenOf(stage));
      const batches = Array.from({ length: 60 }, () => someUsage(stage, 20, 2));
      const budgets: Answer['body'][] = [];
      const ingest = async (call: Call, own: EventBody[][]): Promise<void> => {
        for (const batch of own) await report(call, ...batch);
      };
      const make = async (call: Call, period: string): Promise<void> => {
        for (let at = 0; at < 6; at++) budgets.push(await createBudget(call, { period }));
      };
      await Promise.all([
        ingest(stage.call, batches.slice(0, 20)),
        ingest(there, batches.slice(20, 40)),
        ingest(there, batches.slice(40)),
        make(stage.call, 'daily'),
        make(there, 'weekly'),
      ]);
      expect(budgets).toHaveLength(12);
      for (const budget of budgets) await expectExact(stage, budget);
    });

    it('can be deleted while usage is ingested, and no batch fails', async () => {
      const stage = await newStage();
      const there = replica.as(await tokenOf(stage));
      const ingest = async (call: Call): Promise<void> => {
        for (let at = 0; at < 15; at++) await report(call, ...someUsage(stage, 10, 1));
      };
      const churn = async (): Promise<void> => {
        for (let at = 0; at < 10; at++) {
          const { id } = await createBudget(stage.call, { enforcement: 'block', amount_usd: 1000 });
          expect((await stage.call('DELETE', `/v1/budgets/${id}`)).status).toBe(204);
        }
      };
      const stays = await createBudget(stage.call, { period: 'weekly' });
      await Promise.all([ingest(stage.call), ingest(there), churn()]);
      await expectExact(stage, stays);
    });

    it('count the cost after a correction, also in an hour that is only partly in the window', async () => {
      const stage = await newStage('Asia/Kathmandu');
      for (const [id, occurred_at] of [
        ['before', '2026-11-19T18:10:00Z'],
        ['within', '2026-11-19T18:20:00Z'],
      ]) {
        await report(stage.call, usageEvent({ id, user_id: stage.users[0], occurred_at, cost_usd: '2' }));
      }
      await app.database.asOwner(
        `insert into governance.usage_adjustments
           (org_id, event_id, rerating_id, occurred_at, cost_delta_usd, unpriced_delta, created_at)
         select org_id, id, gen_random_uuid(), occurred_at, -0.5, 0, now()
         from governance.usage_events where org_id = $1`,
        [stage.orgId],
      );
      expect((await createBudget(stage.call)).spent_usd).toBe(1.5);
      expect((await createBudget(stage.call, { scope: 'model', model: 'gpt-4o' })).spent_usd).toBe(1.5);
    });

    it('count usage with a time slightly in the future, in the next window', async () => {
      const own = await startTestApp();
      try {
        own.clock.set('2026-11-20T23:58:00Z');
        const { body: user } = await own.call('POST', '/v1/users', { email: 'ada@example.com', name: 'Ada' });
        const event = usageEvent({ user_id: user.id, occurred_at: '2026-11-21T00:01:00Z', cost_usd: '3' });
        await report(own.call, event);
        const { id, spent_usd: spent } = await createBudget(own.call);
        expect(spent).toBe(0);
        own.clock.advance(5 * 60_000);
        expect(await read(own.call, id)).toMatchObject({ window_start: '2026-11-21T00:00:00.000Z', spent_usd: 3 });
      } finally {
        await own.close();
      }
    });
  });

  describe('budget alerts', () => {
    it('are sent at once if a new budget is already reached', async () => {
      const stage = await newStage();
      await report(stage.call, usageEvent({ user_id: stage.users[0], cost_usd: '9' }));
      const warned = await createBudget(stage.call, { amount_usd: 10 });
      const exceeded = await createBudget(stage.call, { amount_usd: 9 });
      const fine = await createBudget(stage.call, { amount_usd: 11.26 });
      expect(await alertsOf(stage, warned.id)).toEqual(['budget_warning 0.8']);
      expect(await alertsOf(stage, exceeded.id)).toEqual(['budget_warning 0.8', 'budget_exceeded 1']);
      expect(await alertsOf(stage, fine.id)).toEqual([]);
      expect(exceeded.projected_exhaustion).not.toBeNull();
    });

    it('are sent at once if the amount is lowered to the spending, but not again in the same window', async () => {
      const stage = await newStage();
      await report(stage.call, usageEvent({ user_id: stage.users[0], cost_usd: '9' }));
      const { id } = await createBudget(stage.call, { amount_usd: 100 });
      const set = (amount: number) => stage.call('PATCH', `/v1/budgets/${id}`, { amount_usd: amount });
      await set(11);
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8']);
      await set(8);
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8', 'budget_exceeded 1']);
      for (const amount of [100, 11, 8]) await set(amount);
      await report(stage.call, usageEvent({ user_id: stage.users[0], cost_usd: '9' }));
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8', 'budget_exceeded 1']);
    });

    it('neither miss nor repeat a threshold if amounts change while usage is ingested', async () => {
      const stage = await newStage();
      const { id } = await createBudget(stage.call, { amount_usd: 1000 });
      const there = replica.as(await tokenOf(stage));
      const ingest = async (): Promise<void> => {
        for (let at = 0; at < 20; at++) await report(there, usageEvent({ user_id: stage.users[0], cost_usd: '1' }));
      };
      const lower = async (): Promise<void> => {
        for (const amount of [500, 200, 100, 50, 20]) {
          await stage.call('PATCH', `/v1/budgets/${id}`, { amount_usd: amount });
        }
      };
      await Promise.all([ingest(), lower()]);
      expect(await read(stage.call, id)).toMatchObject({ spent_usd: 20, amount_usd: 20 });
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8', 'budget_exceeded 1']);
    });
  });

  describe('budgets of an organization that changes its time zone', () => {
    it.each([
      ['UTC', 'Asia/Kathmandu'],
      ['Europe/Berlin', 'Pacific/Honolulu'],
      ['Pacific/Kiritimati', 'Asia/Kolkata'],
      ['UTC', 'Europe/London'],
    ])('continue in the new windows with their usage, from %s to %s', async (before, after) => {
      const stage = await newStage(before);
      await report(stage.call, ...someUsage(stage, 300));
      const budgets: Answer['body'][] = [];
      for (const period of PERIODS) {
        budgets.push(await createBudget(stage.call, { period }));
        budgets.push(await createBudget(stage.call, { period, scope: 'user', user_id: stage.users[0] }));
      }
      const whichOf = (budget: Answer['body']) => (budget.scope === 'user' ? `u.id = '${stage.users[0]}'` : 'true');
      for (const timeZone of [after, before, after]) {
        await stage.call('PATCH', '/v1/organization', { time_zone: timeZone });
        for (const budget of budgets) await expectExact(stage, budget, whichOf(budget));
        await report(stage.call, ...someUsage(stage, 40, 3));
        for (const budget of budgets) await expectExact(stage, budget, whichOf(budget));
      }
    });

    it('lose nothing while usage is ingested on two replicas', async () => {
      const stage = await newStage();
      const there = replica.as(await tokenOf(stage));
      const budgets = await Promise.all(PERIODS.map(period => createBudget(stage.call, { period })));
      const ingest = async (call: Call): Promise<void> => {
        for (let at = 0; at < 25; at++) await report(call, ...someUsage(stage, 10, 3));
      };
      const travel = async (): Promise<void> => {
        for (const zone of ['Asia/Kolkata', 'America/Havana', 'Pacific/Apia', 'UTC', 'Asia/Kathmandu']) {
          expect((await there('PATCH', '/v1/organization', { time_zone: zone })).status).toBe(200);
        }
      };
      await Promise.all([ingest(stage.call), ingest(there), travel()]);
      for (const budget of budgets) await expectExact(stage, budget);
    });

    it('keep reservations, and settle them in the new window', async () => {
      const stage = await newStage();
      const { id } = await createBudget(stage.call, { enforcement: 'block', amount_usd: 50 });
      const decision = '0199c2a8-0000-7000-8000-00000000000a';
      const verdict = await reserve(stage, decision);
      expect(verdict).toMatchObject({ allowed: true });
      const held = (await read(stage.call, id)).reserved_usd;
      expect(held).toBeGreaterThan(0);
      await stage.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
      expect(await read(stage.call, id)).toMatchObject({
        window_start: '2026-11-19T18:15:00.000Z',
        reserved_usd: held,
        spent_usd: 0,
      });
      const settling = usageEvent({ user_id: stage.users[0], decision_id: decision, cost_usd: '1.25' });
      expect(await report(stage.call, settling)).toMatchObject({ accepted: 1 });
      expect(await read(stage.call, id)).toMatchObject({ reserved_usd: 0, spent_usd: 1.25 });
      const windows = await app.database.asOwner(
        'select reserved_usd::float8 as reserved from governance.budget_windows where org_id = $1',
        [stage.orgId],
      );
      expect(windows).toEqual([{ reserved: 0 }, { reserved: 0 }]);
    });

    it('skip a reservation that another transaction has locked, and still count it when its old window is valid again', async () => {
      const stage = await newStage();
      const { id } = await createBudget(stage.call, { enforcement: 'block', amount_usd: 50 });
      const decision = '0199c2a8-0000-7000-8000-00000000000b';
      await reserve(stage, decision);
      const held = (await read(stage.call, id)).reserved_usd;
      const other = new pg.Client({ connectionString: app.database.url });
      await other.connect();
      try {
        await other.query('begin');
        await other.query('select from governance.reservations where id = $1 for update', [decision]);
        for (const timeZone of ['Asia/Kathmandu', 'UTC']) {
          expect((await stage.call('PATCH', '/v1/organization', { time_zone: timeZone })).status).toBe(200);
        }
        await other.query('rollback');
      } finally {
        await other.end();
      }
      expect(await read(stage.call, id)).toMatchObject({ reserved_usd: held });
      const settling = usageEvent({ user_id: stage.users[0], decision_id: decision, cost_usd: '1.25' });
      expect(await report(stage.call, settling)).toMatchObject({ accepted: 1 });
      expect(await read(stage.call, id)).toMatchObject({ reserved_usd: 0, spent_usd: 1.25 });
    });

    it('reserve in the new window from then on, also on a replica without notice of the change', async () => {
      const stage = await newStage();
      const { id } = await createBudget(stage.call, { enforcement: 'block', amount_usd: 1000 });
      const ids = Array.from({ length: 30 }, (_, at) => `0199c2a8-0000-7000-8000-${String(at).padStart(12, '0')}`);
      const verdicts = Promise.all(ids.map(one => reserve(stage, one)));
      await stage.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
      await verdicts;
      const rows = await app.database.asOwner<{ start: Date; held: number }>(
        `select window_start as start, reserved_usd::float8 as held from governance.budget_windows
         where org_id = $1 and reserved_usd > 0`,
        [stage.orgId],
      );
      const [held] = await app.database.asOwner<{ sum: number }>(
        'select sum(amount_usd)::float8 as sum from governance.reservations where org_id = $1',
        [stage.orgId],
      );
      expect(rows).toEqual([{ start: new Date('2026-11-19T18:15:00.000Z'), held: held?.sum }]);
      expect((await read(stage.call, id)).reserved_usd).toBe(held?.sum);
    });

    it('send no second alert for the same spending, and an alert for spending that the new window adds', async () => {
      const stage = await newStage();
      await report(stage.call, usageEvent({ user_id: stage.users[0], cost_usd: '8.5' }));
      const { id } = await createBudget(stage.call, { amount_usd: 10 });
      const yesterday = { user_id: stage.users[0], occurred_at: '2026-11-19T20:00:00Z', cost_usd: '2' };
      await report(stage.call, usageEvent(yesterday));
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8']);
      await stage.call('PATCH', '/v1/organization', { time_zone: 'Asia/Kathmandu' });
      expect((await read(stage.call, id)).spent_usd).toBe(10.5);
      expect(await alertsOf(stage, id)).toEqual(['budget_warning 0.8', 'budget_exceeded 1']);
    });
  });

  it('are at most 10,000 in an organization', async () => {
    const stage = await newStage();
    await app.database.asOwner(
      `insert into governance.budgets (org_id, id, name, scope, amount_usd, period, enforcement, counts_from, created_at, updated_at)
       select $1, gen_random_uuid(), 'One of many', 'organization', 1, 'daily', 'notify', now(), now(), now()
       from generate_series(1, 9999)`,
      [stage.orgId],
    );
    const answers = await Promise.all([1, 2, 3].map(() => stage.call('POST', '/v1/budgets', ALL)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain('10000 budgets');
  });

  /** A credential of the organization that every replica has cached. */
  async function tokenOf({ call }: Stage): Promise<string> {
    const { body } = await call('POST', '/v1/tokens', { name: 'Replica', role: 'admin' });
    return body.secret ?? body.token;
  }
});
