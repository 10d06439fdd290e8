import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import { startTestApp, type Call, type TestApp } from '../support/test-app.js';
import { createUser, report, usageEvent } from './usage.support.js';

const HOUR_MS = 3_600_000;
const PERIODS = ['daily', 'weekly', 'monthly'] as const;
const BUDGET_PERIODS = [...PERIODS, 'quarterly', 'yearly'];

/** Clock changes that skip midnight, or repeat it. */
const AT_MIDNIGHT = ['America/Havana', 'America/Santiago', 'Asia/Beirut', 'Africa/Cairo', 'America/Asuncion'];

const minutesAt = (zone: string, at: string): number =>
  Temporal.Instant.from(at).toZonedDateTimeISO(zone).offsetNanoseconds / 60e9;

/**
 * One zone for each pair of offsets in winter and summer of which one is not a whole number of hours. Also some zones
 * whose clocks change.
 */
function zonesToTry(): string[] {
  const byOffsets = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const offsets = ['2026-01-15T12:00Z', '2026-07-15T12:00Z'].map(at => minutesAt(zone, at));
    const isOdd = offsets.some(offset => offset % 60 !== 0);
    if (isOdd) byOffsets.set(offsets.join(), zone);
  }
  return [...byOffsets.values(), 'Europe/Berlin', 'America/New_York', ...AT_MIDNIGHT];
}

/** The days of 2026 on which a zone's clocks change; two ordinary days if they do not. */
function daysToTry(zone: string): string[] {
  const days: string[] = [];
  let at: Temporal.ZonedDateTime | null = Temporal.ZonedDateTime.from(`2026-01-01T00:00[${zone}]`);
  while ((at = at.getTimeZoneTransition('next')) && at.year === 2026) days.push(at.toPlainDate().toString());
  return days.length > 0 ? days : ['2026-03-29', '2026-10-25'];
}

const CASES = zonesToTry().flatMap(zone => daysToTry(zone).map(day => ({ zone, day })));

describe('usage in the time zone of the organization', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app?.close());

  const budget = (call: Call, period: string, scope: string | object = 'organization') =>
    call('POST', '/v1/budgets', {
      name: period,
      scope,
      amount_usd: 1_000_000,
      period,
      enforcement: 'notify',
    });

  it('is tested in every zone with an unusual offset', () => {
    expect(CASES.map(({ zone }) => zone)).toEqual(
      expect.arrayContaining(['Australia/Lord_Howe', 'Pacific/Chatham', 'Australia/Eucla', 'Pacific/Marquesas']),
    );
    expect(new Set(CASES.map(({ zone }) => zone)).size).toBeGreaterThan(15);
  });

  it.each(CASES)('costs as much as its budgets have spent in $zone on $day', async ({ zone, day }) => {
    const start = Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;
    const end = Temporal.PlainDate.from(day).add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
    app.clock.set(new Date(end - 1_000));
    const { call } = await app.addOrganization();
    expect((await call('PATCH', '/v1/organization', { time_zone: zone })).status).toBe(200);
    const user = await createUser(call, 'ada');
    // These budgets count usage as it arrives. Budgets that are created later count the stored usage.
    const openAll = () =>
      Promise.all([
        ...BUDGET_PERIODS.map(period => budget(call, period)),
        budget(call, 'weekly', { project: 'copilot' }),
      ]);
    const budgets = await openAll();
    // Times every ten minutes around the start and the end of the day and three hours after the start, and some on
    // earlier days.
    const times = [start, start + 3 * HOUR_MS, end].flatMap(around =>
      Array.from({ length: 25 }, (_, at) => around + (at - 12) * 600_000),
    );
    for (let ago = 1; ago < 40; ago++) times.push(start - ago * 17 * HOUR_MS);
    const events = times
      .filter(at => at < end)
      .map((at, n) =>
        usageEvent({
          user_id: user,
          occurred_at: new Date(at).toISOString(),
          cost_usd: `0.${1_000_000 + n * n}`,
          ...(n % 3 === 0 && { project: 'copilot' }),
        }),
      );
    expect((await report(call, ...events)).accepted).toBe(events.length);
    budgets.push(...(await openAll()));

    for (const { status, body } of budgets) {
      expect(status).toBe(201);
      const {
        spent_usd: spent,
        window_start: from,
        period,
        scope,
      } = (await call('GET', `/v1/budgets/${body.id}`)).body;
      const first = Temporal.Instant.from(from).toZonedDateTimeISO(zone).toPlainDate().toString();
      const { project } = scope;
      const query = `time_zone=organization&start_date=${first}&end_date=${day}${project ? `&project=${project}` : ''}`;
      for (const by of PERIODS) {
        const series = (await call('GET', `/v1/usage/series?${query}&period=${by}`)).body;
        const { total, time_zone: shown } = series;
        expect({ period, by, project, total, zone: shown }).toEqual({ period, by, project, total: spent, zone });
      }
      const people = (await call('GET', `/v1/usage/series?${query}&period=daily&group_by=user`)).body;
      expect({ period, total: people.groups[0].total }).toEqual({ period, total: spent });
    }
  });
});
