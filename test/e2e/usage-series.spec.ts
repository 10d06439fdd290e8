import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { ReratingJob } from '../../libs/usage/rerating/rerating.job.js';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { until } from '../support/webhooks.js';
import { expectError } from '../contract/contract.support.js';
import { FOCUS_COLUMNS } from '../../libs/usage/focus/index.js';
import { createUser, report, usageEvent } from './usage.support.js';

const EMPTY = `truncate ${[
  ...['events', 'event_keys', 'adjustments', 'hourly', 'daily', 'totals'].map(name => `governance.usage_${name}`),
].join()}`;

const ZONES = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe'],
  ...['Pacific/Chatham', 'America/St_Johns', 'Pacific/Marquesas', 'Australia/Eucla', 'Pacific/Kiritimati'],
];

const PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;

/** The label of the period that contains a local day. For hours, only the day, with which their labels begin. */
const LABELS: Record<(typeof PERIODS)[number], (day: Temporal.PlainDate) => string> = {
  hourly: day => day.toString(),
  daily: day => day.toString(),
  weekly: day => `${day.yearOfWeek}-W${String(day.weekOfYear).padStart(2, '0')}`,
  monthly: day => day.toString().slice(0, 7),
};

/** The raw events, each with its current cost. */
const CORRECTED = `
select e.*, coalesce(e.cost_usd, 0) + coalesce(a.cost, 0) as cost,
  coalesce(e.list_cost_usd, e.cost_usd, 0) + coalesce(a.list_cost, 0) as list_cost,
  case when e.cost_usd is null then e.requests else 0 end + coalesce(a.unpriced, 0) as unpriced
from governance.usage_events e left join (
  select org_id, event_id, sum(cost_delta_usd) as cost, sum(list_cost_delta_usd) as list_cost,
    sum(unpriced_delta) as unpriced
  from governance.usage_adjustments group by 1, 2) a on a.org_id = e.org_id and a.event_id = e.id
where e.org_id = $1`;

const DIMENSIONS = ['user', 'department', 'project', 'model', 'provider', 'tag:team', 'tag:env', 'token'] as const;

/** The SQL expression of each dimension over the raw events. */
const RAW: Record<(typeof DIMENSIONS)[number], string> = {
  user: 'e.user_id::text',
  department: 'e.department',
  project: 'e.project',
  model: 'e.model',
  provider: 'e.provider',
  'tag:team': `e.tags ->> 'team'`,
  'tag:env': `e.tags ->> 'env'`,
  token: 'e.token_id::text',
};

/** The last columns of a breakdown. */
const FIGURES = [
  ...['total_requests', 'total_input_tokens', 'total_output_tokens', 'estimated_cost_usd', 'cache_read_tokens'],
  ...['cache_write_tokens', 'reasoning_tokens', 'unpriced_requests', 'list_cost_usd'],
];

/** Custom prices of a tier and a region, and discounts that begin and end within the days of the test. */
const TERMS: [string, object][] = [
  ['/v1/prices', { model: 'gpt-4o', service_tier: 'batch', input_per_million_usd: '1.1', output_per_million_usd: '5' }],
  ['/v1/prices', { model: 'o3', region: 'eu', input_per_million_usd: '0.0000007', output_per_million_usd: '3.3' }],
  ['/v1/discounts', { provider: 'azure', percent_off: '12.5', effective_from: '2026-10-05T07:45:00Z' }],
  ['/v1/exchange-rates', { currency: 'EUR', date: '2026-08-01', rate: '0.861234567891' }],
  ['/v1/exchange-rates', { currency: 'EUR', date: '2026-10-07', rate: '0.9' }],
  ['/v1/exchange-rates', { currency: 'EUR', date: '2026-10-25', rate: '0.000000000001' }],
  ['/v1/exchange-rates', { currency: 'EUR', date: '2026-11-12', rate: '1.1' }],
  ['/v1/exchange-rates', { currency: 'JPY', date: '2026-10-20', rate: '151.37' }],
  ['/v1/discounts', { model: 'gpt-4*', percent_off: '33.333333', effective_until: '2026-11-02T22:15:00Z' }],
];

const FOCUS_HEADER: readonly string[] = FOCUS_COLUMNS.map(({ header }) => header);

/** A cell of CSV with the comma before it, if any. Quoted cells may contain commas. */
const CELL = /(?:^|,)("(?:[^"]|"")*"|[^,]*)/g;

interface Sums {
  requests: number;
  tokens: number;
  pico: bigint;
  listPico: bigint;
  unpriced: number;
}

describe('usage by dimension', () => {
  let app: TestApp;
  let users: string[];
  /** Clients with two different tokens, so that there is usage of both. */
  let senders: Call[];
  /** Ids of the prices that the test has set to correct usage. */
  const corrections = new Set<string>();

  beforeAll(async () => {
    app = await startTestApp();
    users = [];
    for (const name of ['ada', 'bob', 'cyd']) users.push(await createUser(app.call, name));
    senders = [app.call, (await app.addToken('agent')).call];
    for (const [path, body] of TERMS) {
      const { status, text } = await app.call('PUT', path, body);
      if (status !== 200) throw new Error(text);
    }
  });

  afterAll(() => app?.close());

  const get = async (path: string) => {
    const answer = await app.call('GET', `/v1/usage/${path}`);
    expect({ path, status: answer.status, text: answer.status === 200 ? '' : answer.text }).toEqual({
      path,
      status: 200,
      text: '',
    });
    return answer.body;
  };

  const csv = async (path: string): Promise<string[][]> => {
    const { text } = await app.call('GET', `/v1/usage/${path}`, undefined, { accept: 'text/csv' });
    const [, ...lines] = text.trimEnd().split('\r\n');
    return lines.map(line => [...line.matchAll(CELL)].map(([, cell]) => cell ?? ''));
  };

  const move = (user: string | undefined, department: string | null) =>
    app.call('PUT', `/v1/users/${user}`, { department });

  interface Range {
    first: string;
    last: string;
  }
  const EVER: Range = { first: '1970-01-01', last: '9999-12-31' };

  /** The sums of the raw events of some local days, by keys and local day. */
  async function raw(
    groupBy: readonly (typeof DIMENSIONS)[number][],
    zone: string,
    { first, last } = EVER,
  ): Promise<Map<string, Sums>> {
    const keys = groupBy.map(dimension => `coalesce(${RAW[dimension]}, '')`).join(` || '|' || `) || `''`;
    const rows = await app.database.asOwner<Record<string, string>>(
      `select * from (
         select ${keys} as key, to_char(e.occurred_at at time zone $2, 'YYYY-MM-DD') as day, sum(e.requests)::text as requests,
           sum(e.input_tokens + e.output_tokens)::text as tokens, (sum(e.cost) * 1e12)::numeric(60, 0)::text as pico,
           (sum(e.list_cost) * 1e12)::numeric(60, 0)::text as list_pico, sum(e.unpriced)::text as unpriced
         from (${CORRECTED}) e group by 1, 2) days
       where day between $3 and $4`,
      [app.orgId, zone, first, last],
    );
    return new Map(
      rows.map(row => [
        `${row['key']}@${row['day']}`,
        {
          requests: Number(row['requests']),
          tokens: Number(row['tokens']),
          pico: BigInt(row['pico'] ?? 0),
          listPico: BigInt(row['list_pico'] ?? 0),
          unpriced: Number(row['unpriced']),
        },
      ]),
    );
  }

  /**
   * The cost of the raw events in a currency, by the rates of the zone's days, and in dollars on days without a rate.
   */
  async function converted(
    currency: string,
    zone: string,
    { first, last } = EVER,
  ): Promise<{ units: bigint; missing: boolean }> {
    const [row] = await app.database.asOwner<{ units: string; missing: string }>(
      `select (coalesce(sum(e.cost * x.rate), 0) * 1e24)::numeric(80, 0)::text as units,
         coalesce(sum(e.cost) filter (where x.rate is null), 0)::text as missing
       from (${CORRECTED}) e left join lateral (
         select r.rate from governance.exchange_rates r where r.org_id = e.org_id and r.currency = $2
           and r.day <= (e.occurred_at at time zone $3)::date order by r.day desc limit 1) x on true
       where (e.occurred_at at time zone $3)::date between $4::date and $5::date`,
      [app.orgId, currency, zone, first, last],
    );
    return { units: BigInt(row?.units ?? 0), missing: Number(row?.missing) !== 0 };
  }

  /** Sets another price for a model, also for past usage. */
  async function correct(model: string, price: string): Promise<void> {
    const terms = { model, input_per_million_usd: price, output_per_million_usd: price };
    const set = await app.call('PUT', '/v1/prices', terms);
    expect(set.status).toBe(200);
    corrections.add(set.body.id);
    const days = { start_date: '2026-08-01', end_date: '2026-11-20' };
    const { status, body } = await app.call('POST', '/v1/prices/reratings', days);
    expect(status).toBe(202);
    await until(async () => {
      const { status: state } = (await app.call('GET', `/v1/prices/reratings/${body.id}`)).body;
      if (state === 'failed') throw new Error('the re-rating has failed');
      return state === 'done';
    }, 30_000);
  }

  const unitsOf = (text: string | undefined): bigint => {
    const [whole = '0', places = ''] = (text ?? '0').split('.');
    return BigInt(`${whole}${places.padEnd(24, '0')}`);
  };
  const unitsIn = (rows: string[][], cell = -1): bigint =>
    rows.reduce((sum, cells) => sum + unitsOf(cells.at(cell)), 0n);

  const picoOf = (text: string | undefined): bigint =>
    text === undefined || text === '' ? 0n : BigInt(text.replace('.', ''));

  const rangeOf = ({ lastAgo, days }: { lastAgo: number; days: number }): Range => {
    const last = Temporal.PlainDate.from('2026-11-20').subtract({ days: lastAgo });
    return { first: last.subtract({ days: days - 1 }).toString(), last: last.toString() };
  };

  it('equals the sums of the raw events by every dimension, in every zone and period, as JSON and as CSV', async () => {
    // Within forty minutes of a midnight of one of the zones, in minutes before noon of the test's day in UTC.
    const midnightArbitrary = fc
      .tuple(fc.nat(78), fc.constantFrom(...ZONES), fc.integer({ min: -40, max: 40 }))
      .map(([daysAgo, zone, minutes]) => {
        const day = Temporal.PlainDate.from('2026-11-20').subtract({ days: daysAgo + 1 });
        const before = Temporal.Instant.from('2026-11-20T12:00:00Z').since(day.toZonedDateTime(zone).toInstant());
        return before.total('minutes') + minutes;
      });
    const eventArbitrary = fc.record({
      user: fc.nat(2),
      minutesAgo: fc.oneof(fc.nat(80 * 24 * 60), midnightArbitrary),
      sent: fc.record(
        {
          model: fc.constantFrom('gpt-4o', 'nothing', 'o3'),
          provider: fc.constantFrom('openai', 'azure'),
          input_tokens: fc.nat(5_000),
          output_tokens: fc.nat(500),
          requests: fc.integer({ min: 1, max: 4 }),
          cost_usd: fc.option(
            fc.integer({ min: 0, max: 10 ** 9 }).map(units => `0.${String(units).padStart(12, '0')}`),
          ),
          service_tier: fc.constantFrom('standard', 'batch', 'flex'),
          region: fc.constantFrom('eu', 'us'),
          project: fc.constantFrom('copilot', 'chat', 'Ünïcode'),
          tags: fc.dictionary(fc.constantFrom('team', 'env'), fc.constantFrom('a', 'b', 'c')),
        },
        { requiredKeys: ['model', 'provider', 'input_tokens', 'output_tokens'] },
      ),
    });
    const moveArbitrary = fc.record({ user: fc.nat(2), department: fc.constantFrom('Sales', 'Ops', null) });
    const correctionArbitrary = fc.option(
      fc.record({
        model: fc.constantFrom('gpt-4o', 'nothing', 'o3'),
        price: fc.integer({ min: 0, max: 10 ** 7 }).map(units => `0.${String(units).padStart(7, '0')}`),
      }),
    );
    const rangeArbitrary = fc.record({ lastAgo: fc.nat(80), days: fc.integer({ min: 1, max: 40 }) });
    // Re-ratings start without their usual pause.
    jest.replaceProperty(app.app.get(ReratingJob, { strict: false }), 'pauseMs', 0);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(eventArbitrary, { minLength: 1, maxLength: 30 }), moveArbitrary), {
          minLength: 1,
          maxLength: 4,
        }),
        fc.constantFrom(...ZONES),
        fc.constantFrom(...PERIODS),
        fc.uniqueArray(fc.constantFrom(...DIMENSIONS), { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 1, max: 12 }),
        correctionArbitrary,
        fc.option(rangeArbitrary),
        async (batches, zone, period, groupBy, top, correction, drawnRange) => {
          await app.database.asOwner(EMPTY);
          for (const [at, [drawn, moved]] of batches.entries()) {
            const sender = senders[at % 2] ?? app.call;
            const events = drawn.map(({ user, minutesAgo, sent }) =>
              usageEvent({
                ...sent,
                user_id: users[user],
                occurred_at: new Date(app.clock.now().getTime() - minutesAgo * 60_000).toISOString(),
              }),
            );
            expect(await report(sender, ...events)).toMatchObject({ accepted: events.length, rejected: [] });
            await move(users[moved.user], moved.department);
            // Repeating a batch after a move changes nothing.
            expect((await report(sender, ...events)).duplicates).toBe(events.length);
          }
          if (correction) await correct(correction.model, correction.price);
          // An hourly report needs a range, because it has at most 1,100 hours.
          const within = drawnRange ?? (period === 'hourly' ? { lastAgo: 3, days: 40 } : undefined);
          const range = within ? rangeOf(within) : EVER;
          const path =
            `group_by=${groupBy.join(',')}&period=${period}&time_zone=${zone}&top=${top}` +
            (within ? `&start_date=${range.first}&end_date=${range.last}` : '');
          const expected = await raw(groupBy, zone, range);
          const everything = [...expected.values()];
          const sums = (field: 'requests' | 'tokens' | 'unpriced') =>
            everything.reduce((sum, each) => sum + each[field], 0);
          const pico = everything.reduce((sum, each) => sum + each.pico, 0n);
          const listPico = everything.reduce((sum, each) => sum + each.listPico, 0n);

          for (const metric of ['requests', 'tokens'] as const) {
            const series = await get(`series?${path}&metric=${metric}`);
            expect(series.total).toBe(sums(metric));
            const shown = series.groups.reduce((sum: number, group: { total: number }) => sum + group.total, 0);
            expect(shown + (series.other?.total ?? 0)).toBe(sums(metric));
            for (const line of [...series.groups, ...(series.other ? [series.other] : [])]) {
              const points = line.points.reduce((sum: number, { value }: { value: number }) => sum + value, 0);
              expect(points).toBe(line.total);
            }
          }
          const series = await get(`series?${path}&metric=requests&top=60`.replace(`&top=${top}`, ''));
          expect(series.other).toBeNull();
          const byLabel = new Map<string, number>();
          for (const [key, { requests }] of expected) {
            const [name, day] = [key.slice(0, -11), key.slice(-10)];
            const label = `${name}@${LABELS[period](Temporal.PlainDate.from(day))}`;
            byLabel.set(label, (byLabel.get(label) ?? 0) + requests);
          }
          const shownByLabel = new Map<string, number>();
          for (const { key, points } of series.groups) {
            const text = [key]
              .flat()
              .map((value: string | null) => value ?? '')
              .join('|');
            for (const { period: label, value } of points) {
              if (value === 0) continue;
              const name = `${text}@${period === 'hourly' ? label.slice(0, 10) : label}`;
              shownByLabel.set(name, (shownByLabel.get(name) ?? 0) + value);
            }
          }
          expect(Object.fromEntries(shownByLabel)).toEqual(Object.fromEntries(byLabel));
          expect(series.unpriced_requests).toBe(sums('unpriced'));

          const costs = await csv(`series?${path}&metric=cost_usd`);
          expect(costs.reduce((sum, cells) => sum + picoOf(cells.at(-2)), 0n)).toBe(pico);
          const shownCosts = await get(`series?${path}&metric=cost_usd`);
          expect(
            costs.map(cells => ({
              period: cells[0],
              value: cells.at(-2) === '' ? null : Number(cells.at(-2)),
              unpriced_requests: Number(cells.at(-1)),
            })),
          ).toEqual(
            [...shownCosts.groups, ...(shownCosts.other ? [shownCosts.other] : [])].flatMap(({ points }) => points),
          );
          const listCosts = await csv(`series?${path}&metric=list_cost_usd`);
          expect(listCosts.reduce((sum, cells) => sum + picoOf(cells.at(-2)), 0n)).toBe(listPico);
          const lines = await csv(`breakdown?${path}`);
          const { lines: told, totals } = await get(`breakdown?${path}`);
          expect(lines.reduce((sum, cells) => sum + picoOf(cells.at(-6)), 0n)).toBe(pico);
          expect(lines.reduce((sum, cells) => sum + picoOf(cells.at(-1)), 0n)).toBe(listPico);
          expect(totals).toMatchObject({ total_requests: sums('requests'), unpriced_requests: sums('unpriced') });
          // The expected charges are computed by UTC days, because FOCUS uses them.
          const charged = [...(await raw([], 'UTC', range)).values()];
          const chargedPico = charged.reduce((sum, each) => sum + each.pico, 0n);
          const days = within ? `&start_date=${range.first}&end_date=${range.last}` : '';
          const charges = await csv(`focus?${days.slice(1)}`);
          for (const [column, exact] of [
            ['BilledCost', chargedPico],
            ['ContractedCost', chargedPico],
            ['EffectiveCost', chargedPico],
            ['ListCost', charged.reduce((sum, each) => sum + each.listPico, 0n)],
          ] as const) {
            const cell = FOCUS_HEADER.indexOf(column);
            expect(charges.reduce((sum, cells) => sum + picoOf(cells[cell]), 0n)).toBe(exact);
          }
          const unpricedCell = FOCUS_HEADER.indexOf('x_UnpricedRequests');
          expect(charges.reduce((sum, cells) => sum + Number(cells[unpricedCell]), 0)).toBe(
            charged.reduce((sum, each) => sum + each.unpriced, 0),
          );
          const euros = await converted('EUR', zone, range);
          expect(euros.missing).toBe(false);
          expect(unitsIn(await csv(`series?${path}&currency=EUR`))).toBe(euros.units);
          expect(unitsIn(await csv(`breakdown?${path}&currency=EUR`))).toBe(euros.units);
          const inUtc = await converted('EUR', 'UTC', range);
          expect(unitsIn(await csv(`focus?currency=EUR${days}`), -3)).toBe(inUtc.units);
          for (const each of PERIODS) {
            const rows = await csv(`?period=${each}&currency=EUR${days}`);
            expect({ each, units: unitsIn(rows) }).toEqual({ each, units: inUtc.units });
          }
          const yen = await converted('JPY', zone, range);
          const inYen = await get(`series?${path}&currency=JPY`);
          if (sums('requests') > 0) {
            expect(inYen.cost_converted === null).toBe(yen.missing || series.unpriced_requests === sums('requests'));
          }

          expect(
            lines.map(cells => ({
              line: [cells[0], cells[1] === 'other'],
              figures: cells.slice(-9).map(cell => (cell === '' ? null : Number(cell))),
            })),
          ).toEqual(
            told.map((item: Record<string, unknown>) => ({
              line: [item['period'], item['group'] === null],
              figures: FIGURES.map(name => item[name]),
            })),
          );
        },
      ),
      { numRuns: 30 },
    );
    for (const id of corrections) expect((await app.call('DELETE', `/v1/prices/${id}`)).status).toBe(204);
  });

  describe('with two departments', () => {
    beforeAll(async () => {
      await app.database.asOwner(EMPTY);
      await move(users[0], 'Sales');
      await move(users[1], null);
      const at = (day: string, fields: object) => usageEvent({ ...fields, occurred_at: `2026-11-${day}T10:20:00Z` });
      await report(
        app.call,
        at('17', { user_id: users[0], cost_usd: '10', project: 'copilot', tags: { team: 'search' } }),
        at('17', { user_id: users[0], cost_usd: '1', model: 'o3', tags: { team: 'ads', env: 'prod' } }),
        at('19', { user_id: users[1], cost_usd: '2.5', project: 'chat' }),
        at('19', { user_id: users[1], model: 'nothing', requests: 3 }),
      );
    });

    it('shows the largest groups, the sum of the others and the total, if there are more groups than requested', async () => {
      expect(await get('series?group_by=model&top=1&period=daily')).toEqual({
        group_by: ['model'],
        metric: 'cost_usd',
        period: 'daily',
        time_zone: 'UTC',
        groups: [
          {
            key: 'gpt-4o',
            user_email: null,
            total: 12.5,
            unpriced_requests: 0,
            points: [
              { period: '2026-11-17', value: 10, unpriced_requests: 0 },
              { period: '2026-11-18', value: 0, unpriced_requests: 0 },
              { period: '2026-11-19', value: 2.5, unpriced_requests: 0 },
            ],
          },
        ],
        other: {
          groups: 2,
          total: 1,
          unpriced_requests: 3,
          points: [
            { period: '2026-11-17', value: 1, unpriced_requests: 0 },
            { period: '2026-11-18', value: 0, unpriced_requests: 0 },
            { period: '2026-11-19', value: null, unpriced_requests: 3 },
          ],
        },
        total: 13.5,
        unpriced_requests: 3,
        points: [
          { period: '2026-11-17', value: 11, unpriced_requests: 0 },
          { period: '2026-11-18', value: 0, unpriced_requests: 0 },
          { period: '2026-11-19', value: 2.5, unpriced_requests: 3 },
        ],
      });
    });

    it('shows an unknown cost as null and never as 0', async () => {
      const { total, unpriced_requests } = await get('series?model=nothing');
      expect({ total, unpriced_requests }).toEqual({ total: null, unpriced_requests: 3 });
      const { lines } = await get('breakdown?model=nothing&start_date=2026-11-01');
      expect(lines).toMatchObject([{ period: '2026-11-19', estimated_cost_usd: null, total_requests: 3 }]);
    });

    it.each([
      ['department=Sales', 11],
      ['project=chat', 2.5],
      ['tag:team=ads', 1],
      ['tag:team=ads&tag:env=test', 0],
      ['model=gpt-4o', 12.5],
      ['provider=azure', 0],
    ])('counts only the usage that the filter %s selects', async (filter, total) => {
      expect((await get(`series?group_by=user&${filter}`)).total).toBe(total);
      expect((await get(`series?${filter}`)).total).toBe(total);
    });

    it('counts only the usage of a user if one is named, and names users by their addresses', async () => {
      const { total, groups } = await get(`series?user_id=${users[0]}&group_by=user,department`);
      expect(total).toBe(11);
      expect(groups).toMatchObject([{ key: [users[0], 'Sales'], user_email: 'ada@example.com' }]);
    });

    it('has null as the key of usage without a value', async () => {
      const { groups } = await get('series?group_by=department&metric=requests');
      expect(groups.map(({ key, total }: { key: string; total: number }) => [key, total])).toEqual([
        [null, 4],
        ['Sales', 2],
      ]);
    });

    it('keeps the department of a user at the time of the usage, whatever it is later', async () => {
      await move(users[0], 'Board');
      const { groups } = await get('series?group_by=department&metric=requests&user_id=' + users[0]);
      expect(groups).toMatchObject([{ key: 'Sales', total: 2 }]);
    });

    it("labels hours with their offset if the zone's offset is not a whole hour", async () => {
      const { points } = await get(
        'series?period=hourly&time_zone=Asia/Kathmandu&start_date=2026-11-17&end_date=2026-11-17',
      );
      expect(points).toHaveLength(24);
      expect(points.filter(({ value }: { value: number }) => value > 0)).toEqual([
        { period: '2026-11-17T16:00:00+05:45', value: 11, unpriced_requests: 0 },
      ]);
    });

    it("shows only the caller's own usage if the credential allows no more", async () => {
      const { call } = await app.addToken('member', users[1]);
      expect((await call('GET', '/v1/usage/series')).body.total).toBe(2.5);
      expect((await call('GET', `/v1/usage/series?user_id=${users[0]}`)).status).toBe(403);
    });

    it('lists the possible filter values of usage', async () => {
      const { status, body } = await app.call('GET', '/v1/facets?of=project,tag,tag:team,tag:none');
      expect(status).toBe(200);
      expect(body.facets).toEqual([
        { of: 'project', values: expect.arrayContaining(['chat', 'copilot']), has_more: false },
        { of: 'tag', values: ['env', 'team'], has_more: false },
        { of: 'tag:team', values: expect.arrayContaining(['ads', 'search']), has_more: false },
        { of: 'tag:none', values: [], has_more: false },
      ]);
    });
  });

  it.each([
    ['series?group_by=colour', 'group_by'],
    ['series?group_by=user,model,project', 'group_by'],
    ['series?group_by=model,model', 'group_by'],
    ['series?metric=luck', 'metric'],
    ['series?time_zone=Mars/Olympus', 'time_zone'],
    ['series?time_zone=%2B01:00', 'time_zone'],
    ['series?top=0', 'top'],
    ['series?top=1001', 'top'],
    ['series?tags=a', 'tags'],
    ['series?period=hourly&start_date=2026-01-01&end_date=2026-06-01', 'period'],
    ['series?start_date=2026-11-21&end_date=2026-11-20', 'start_date'],
    ['breakdown?metric=requests', 'metric'],
    ['series?group_by=model&top=100&start_date=2024-11-21&end_date=2026-11-20', 'top'],
  ])('refuses %s and names the field', async (path, field) => {
    expectError(await app.call('GET', `/v1/usage/${path}`), 400, 'bad_request', field);
  });

  it('counts late usage for the project, tags and department of its decision if the event names none', async () => {
    const { call } = await app.addOrganization();
    const user = await createUser(call, 'fay');
    await call('PUT', `/v1/users/${user}`, { department: 'Sales' });
    const asked = { user_id: user, provider: 'openai', model: 'gpt-4o', project: 'copilot', tags: { team: 'search' } };
    const decision_id = (await call('POST', '/v1/decisions', asked)).body.id;
    await call('PUT', `/v1/users/${user}`, { department: 'Board' });
    const late = (fields: object) => usageEvent({ user_id: user, decision_id, cost_usd: '1', ...fields });
    const named = { project: 'chat', tags: { team: 'ads' } };
    const events = [late({}), late(named), late({ decision_id: null })];
    expect((await report(call, ...events)).accepted).toBe(3);
    expect((await report(call, ...events)).duplicates).toBe(3);
    const keys = async (groupBy: string) =>
      (await call('GET', `/v1/usage/series?group_by=${groupBy}&metric=requests`)).body.groups
        .map(({ key, total }: { key: string[]; total: number }) => [...key, total].join())
        .toSorted();
    expect(await keys('project,tag:team')).toEqual([',,1', 'chat,ads,1', 'copilot,search,1']);
    expect(await keys('department,user')).toEqual([`Board,${user},1`, `Sales,${user},2`]);
  });

  it('stores an event and counts it under (other) if a tag has too many values', async () => {
    const { call, orgId } = await app.addOrganization();
    const user = await createUser(call, 'eve');
    await app.database.asOwner(
      `insert into governance.usage_dimension_values (org_id, dimension, value, first_seen)
       select $1, 'tag:request', 'r' || n, now() from generate_series(1, 999) n`,
      [orgId],
    );
    const one = (request: string) => usageEvent({ id: request, user_id: user, cost_usd: '1', tags: { request } });
    const { accepted, notes } = await report(call, one('a'), one('b'), one('r7'));
    expect({ accepted, notes }).toEqual({
      accepted: 3,
      notes: [{ index: 1, field: 'tags.request', message: expect.stringMatching(/1000 values.*\(other\).*metadata/) }],
    });
    const { groups } = (await call('GET', '/v1/usage/series?group_by=tag:request')).body;
    expect(groups.map(({ key, total }: { key: string; total: number }) => [key, total])).toEqual([
      ['(other)', 1],
      ['a', 1],
      ['r7', 1],
    ]);
    expect((await call('GET', '/v1/usage/events/b')).body.tags).toEqual({ request: 'b' });
  });
});
