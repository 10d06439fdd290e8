import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OrgDatabase } from '#database';
import { UsageIngestion, type UsageReceipt } from '#usage';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { allUsage, createUser, usageEvent, type EventBody } from './usage.support.js';

const PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;
const MODELS = ['gpt-4o', 'claude-sonnet-4-5', 'nothing'];

/** The figures that a report must conserve. Money in units of 10⁻¹² US dollars. */
type Totals = Record<'requests' | 'input' | 'output' | 'unpriced' | 'pico', number>;

/** Offsets from UTC in minutes that zones have or recently had, including unusual ones. */
const OFFSETS = [-720, -570, -480, -300, -210, -150, 0, 60, 120, 210, 270, 330, 345, 390, 525, 570, 630, 660, 765, 840];

/** Clock changes within the last 90 days before the test's day. */
const CLOCK_CHANGES = [
  '2026-09-05T04:00:00Z',
  '2026-09-26T14:00:00Z',
  '2026-10-03T15:30:00Z',
  '2026-10-25T01:00:00Z',
  '2026-11-01T05:00:00Z',
  '2026-11-01T10:00:00Z',
];

const EMPTY =
  'truncate governance.usage_events, governance.usage_event_keys, governance.usage_hourly, governance.usage_daily, governance.usage_totals';

const FIGURES = [
  'requests',
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
];
const WHOSE = 'user_id, model, provider';

/** Queries for the stored rollups (LIVE), and for the same rollups computed from the raw events (REBUILT). */
const LIVE = {
  hourly: liveOf('usage_hourly', `to_char(hour at time zone 'UTC', 'YYYY-MM-DD HH24')`),
  daily: liveOf('usage_daily', `to_char(day, 'YYYY-MM-DD')`),
};
const REBUILT = {
  hourly: rebuiltBy(`to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD HH24')`),
  daily: rebuiltBy(`to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD')`),
};

function liveOf(table: string, start: string): string {
  const figures = [...FIGURES, 'cost_usd', 'list_cost_usd', 'unpriced_requests'].map(
    name => `sum(${name})::text as ${name}`,
  );
  return `select ${start} as start, ${WHOSE}, ${figures.join(', ')} from governance.${table}
    where org_id = $1 group by start, ${WHOSE} order by start, ${WHOSE}`;
}

function rebuiltBy(start: string): string {
  const figures = FIGURES.map(name => `sum(${name})::text as ${name}`);
  return `select ${start} as start, ${WHOSE}, ${figures.join(', ')},
      (coalesce(sum(cost_usd), 0) + 0.000000000000)::text as cost_usd,
      (coalesce(sum(coalesce(list_cost_usd, cost_usd)), 0) + 0.000000000000)::text as list_cost_usd,
      coalesce(sum(requests) filter (where cost_usd is null), 0)::text as unpriced_requests
    from governance.usage_events where org_id = $1 group by start, ${WHOSE} order by start, ${WHOSE}`;
}

describe('usage is neither lost nor invented', () => {
  let app: TestApp;
  let replica: TestApp;
  let users: string[];

  beforeAll(async () => {
    app = await startTestApp();
    replica = await startTestApp({ testDatabase: app.database, orgId: app.orgId, time: app.clock });
    users = [];
    for (const name of ['ada', 'bob', 'cyd', 'dot']) users.push(await createUser(app.call, name));
  });

  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  const ingestionOf = ({ app: nest }: TestApp) => nest.get(UsageIngestion, { strict: false });
  const ingestions = (): [UsageIngestion, UsageIngestion] => [ingestionOf(app), ingestionOf(replica)];

  async function totals(query: string): Promise<Totals> {
    const sums = { requests: 0, input: 0, output: 0, unpriced: 0, pico: 0 };
    for (const item of await allUsage(app.call, query)) {
      sums.requests += item.total_requests;
      sums.input += item.total_input_tokens;
      sums.output += item.total_output_tokens;
      sums.unpriced += item.unpriced_requests;
      sums.pico += Math.round(item.estimated_cost_usd * 1e12);
    }
    return sums;
  }

  /** A time in the format of a gateway in that zone. */
  function inZone(minutesAgo: number, offset: number): string {
    const at = app.clock.now().getTime() - minutesAgo * 60_000;
    const local = new Date(at + offset * 60_000).toISOString().slice(0, -1);
    const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
    const pad = (part: number) => String(part).padStart(2, '0');
    return `${local}${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
  }

  /** A number of minutes before now, whose time is within an hour and a half of `instant`. */
  function around(instant: string): fc.Arbitrary<number> {
    const minutes = Math.round((app.clock.now().getTime() - Date.parse(instant)) / 60_000);
    return fc.integer({ min: minutes - 90, max: minutes + 90 });
  }

  const live = (period: 'hourly' | 'daily') => app.database.asOwner(LIVE[period], [app.orgId]);
  const rebuilt = (period: 'hourly' | 'daily') => app.database.asOwner(REBUILT[period], [app.orgId]);

  it('the sums of hours, days, weeks, months and events are equal in any range, and CSV has the same as JSON', async () => {
    const eventArbitrary = fc.record({
      user: fc.nat(3),
      minutesAgo: fc.oneof(
        { weight: 4, arbitrary: fc.nat(89 * 24 * 60) },
        // Times ahead of the app's clock, as far as events may be.
        { weight: 1, arbitrary: fc.integer({ min: -5, max: 0 }) },
        { weight: 2, arbitrary: fc.constantFrom(...CLOCK_CHANGES).chain(around) },
      ),
      offset: fc.constantFrom(...OFFSETS),
      sent: fc.record({
        model: fc.constantFrom(...MODELS),
        input_tokens: fc.nat(5_000),
        output_tokens: fc.nat(500),
        requests: fc.integer({ min: 1, max: 4 }),
        cost_usd: fc.option(fc.integer({ min: 0, max: 10 ** 9 }).map(units => `0.${String(units).padStart(12, '0')}`)),
      }),
      isRepeated: fc.boolean(),
    });
    /** Times at least a minute outside of the accepted range. No event with such a time may count. */
    const strayArbitrary = fc.oneof(
      fc.integer({ min: 90 * 24 * 60 + 1, max: 400 * 24 * 60 }),
      fc.integer({ min: -2 * 24 * 60, max: -6 }),
    );
    const dayAgo = fc.nat(92);
    await fc.assert(
      fc.asyncProperty(
        fc.array(eventArbitrary, { minLength: 1, maxLength: 150 }),
        fc.array(strayArbitrary, { maxLength: 5 }),
        dayAgo,
        dayAgo,
        async (drawn, strays, a, b) => {
          await app.database.asOwner(EMPTY);
          const events = drawn.map(({ user, minutesAgo, offset, sent }) =>
            usageEvent({ ...sent, user_id: users[user], provider: 'openai', occurred_at: inZone(minutesAgo, offset) }),
          );
          const stray = strays.map(minutesAgo =>
            usageEvent({ user_id: users[0], occurred_at: inZone(minutesAgo, 0), cost_usd: 1 }),
          );
          const repeated = events.filter((_, at) => drawn[at]?.isRepeated);
          const [here, there] = ingestions();
          const half = Math.floor(events.length / 2);
          const receipts = await Promise.all([
            here.record(app.orgId, [...events.slice(0, half), ...stray, ...repeated.slice(0, 3)]),
            there.record(app.orgId, [...events.slice(half), ...repeated]),
          ]);
          receipts.push(await here.record(app.orgId, repeated));
          expect(sum(receipts.map(({ accepted }) => accepted))).toBe(events.length);
          expect(sum(receipts.map(({ duplicates }) => duplicates))).toBe(
            repeated.length * 2 + Math.min(3, repeated.length),
          );
          expect(sum(receipts.map(({ rejected }) => rejected.length))).toBe(stray.length);
          expect(await live('hourly')).toEqual(await rebuilt('hourly'));
          expect(await live('daily')).toEqual(await rebuilt('daily'));

          const now = app.clock.now().getTime();
          const dayOf = (ago: number) => new Date(now - ago * 86_400_000).toISOString().slice(0, 10);
          const [start, end] = [dayOf(Math.max(a, b)), dayOf(Math.min(a, b))];
          for (const range of ['', `&start_date=${start}&end_date=${end}`]) {
            const [raw] = await app.database.asOwner<Record<string, string>>(
              `select coalesce(sum(requests), 0) as requests, coalesce(sum(input_tokens), 0) as input,
               coalesce(sum(output_tokens), 0) as output, coalesce(sum(requests) filter (where cost_usd is null), 0) as unpriced,
               coalesce(sum(cost_usd) * 1e12, 0)::bigint as pico
             from governance.usage_events
             where $1 = '' or (occurred_at at time zone 'UTC')::date between $2::date and $3::date`,
              [range, start, end],
            );
            const expected = {
              ...Object.fromEntries(Object.entries(raw ?? {}).map(([key, text]) => [key, Number(text)])),
            };
            for (const period of PERIODS)
              expect({ period, ...(await totals(`period=${period}${range}`)) }).toEqual({ period, ...expected });
          }
          for (const period of PERIODS) {
            const csv = await app.call('GET', `/v1/usage?period=${period}`, undefined, { accept: 'text/csv' });
            const lines = csv.text
              .trimEnd()
              .split('\r\n')
              .slice(1)
              .map(line => line.split(','));
            const items = await allUsage(app.call, `period=${period}`, 7);
            expect(lines.map(cells => [cells[0], cells[1], cells[3], Number(cells[5]), Number(cells[8])])).toEqual(
              items.map(item => [item.period, item.user_id, item.model, item.total_requests, item.estimated_cost_usd]),
            );
          }
        },
      ),
      { numRuns: 8 },
    );
  });

  it('an event that both replicas receive many times at once counts exactly once', async () => {
    await app.database.asOwner(EMPTY);
    const events = Array.from({ length: 200 }, (_, index) =>
      usageEvent({ user_id: users[index % 4], model: MODELS[index % 3] }),
    );
    const receipts: Promise<UsageReceipt>[] = [];
    for (let round = 0; round < 10; round++) {
      for (const ingestion of ingestions()) receipts.push(ingestion.record(app.orgId, shuffled(events)));
    }
    const all = await Promise.all(receipts);
    expect(all.reduce((sum, receipt) => sum + receipt.accepted, 0)).toBe(200);
    expect(all.reduce((sum, receipt) => sum + receipt.duplicates, 0)).toBe(20 * 200 - 200);
    for (const period of PERIODS) expect((await totals(`period=${period}`)).requests).toBe(200);
  });

  it('overlapping batches in any order on two replicas neither deadlock permanently nor lose an increment', async () => {
    await app.database.asOwner(EMPTY);
    const now = app.clock.now().getTime();
    const batches = Array.from({ length: 40 }, () =>
      Array.from({ length: 60 }, (_, index) =>
        usageEvent({
          user_id: users[index % 4],
          model: MODELS[index % 3],
          occurred_at: new Date(now - Math.floor(Math.random() * 5) * 3_600_000 * 13).toISOString(),
        }),
      ),
    );
    // Adjacent batches share a third of their events, so that transactions conflict over the keys of events and over
    // rows of rollups.
    const sent = batches.map((batch, at) =>
      shuffled([...batch, ...(batches[(at + 1) % batches.length] ?? []).slice(0, 20)]),
    );
    // Sends each batch in its own transaction, eight in parallel on each replica, without retries after a deadlock.
    const receipts = await Promise.all(
      sent.map((batch, at) => {
        const host = at % 2 ? app : replica;
        const database = host.app.get(OrgDatabase, { strict: false });
        return database.transaction(app.orgId, em => ingestionOf(host).record(app.orgId, batch, { em }));
      }),
    );
    expect(receipts.flatMap(receipt => receipt.rejected)).toEqual([]);
    expect(receipts.reduce((sum, receipt) => sum + receipt.accepted, 0)).toBe(2_400);
    for (const period of PERIODS) expect((await totals(`period=${period}`)).requests).toBe(2_400);
    const [locks] = await app.database.asOwner<{ deadlocks: string }>(
      'select deadlocks::text from pg_stat_database where datname = current_database()',
    );
    expect(locks?.deadlocks).toBe('0');
  });
});

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function shuffled(events: readonly EventBody[]): EventBody[] {
  return events
    .map(event => ({ event, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ event }) => event);
}
