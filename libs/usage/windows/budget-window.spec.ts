import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUDGET_PERIODS, budgetWindow, WindowCalendar, type BudgetPeriod, type BudgetWindow } from './index.js';

/** Time zones with unusual changes: they skip midnight, repeat midnight, change by half an hour, or skip a day. */
const ODD_ZONES = [
  ...['America/Havana', 'Asia/Beirut', 'America/Sao_Paulo', 'America/St_Johns', 'America/Asuncion', 'Africa/Cairo'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Pacific/Chatham', 'Asia/Gaza'],
  ...['Europe/Berlin', 'America/New_York', 'Africa/Casablanca', 'UTC'],
];
const ZONES = [...new Set([...ODD_ZONES, ...Intl.supportedValuesOf('timeZone')])];

const zone = fc.oneof(fc.constantFrom(...ODD_ZONES), fc.constantFrom(...ZONES));
const period = fc.constantFrom(...BUDGET_PERIODS);
// The range begins before most known changes of time zones, and ends in years for which the rules are predictions.
const instant = fc
  .integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2045, 0, 1) })
  .map(milliseconds => new Date(milliseconds));

const texts = ({ start, end }: BudgetWindow) => [start.toISOString(), end.toISOString()];
const hours = ({ start, end }: BudgetWindow) => (end.getTime() - start.getTime()) / 3_600_000;

/** The local time in a zone, as `2026-11-20 Fri 13:00:00`. */
function clockOf(timeZone: string, at: Date): { date: string; weekday: string } {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const weekday = new Intl.DateTimeFormat('en', { timeZone, weekday: 'short' }).format(at);
  return { date: format.format(at), weekday };
}

describe('the window of a budget', () => {
  it.each<[BudgetPeriod, string, string, string, string]>([
    ['daily', 'UTC', '2026-11-20T12:00:00Z', '2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z'],
    ['weekly', 'UTC', '2026-11-20T12:00:00Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['weekly', 'UTC', '2026-11-22T23:59:59.999Z', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z'],
    ['weekly', 'UTC', '2026-11-23T00:00:00Z', '2026-11-23T00:00:00.000Z', '2026-11-30T00:00:00.000Z'],
    ['monthly', 'UTC', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['monthly', 'Europe/Berlin', '2026-10-31T23:00:00Z', '2026-10-31T23:00:00.000Z', '2026-11-30T23:00:00.000Z'],
    ['daily', 'Asia/Kathmandu', '2026-11-20T18:14:59Z', '2026-11-19T18:15:00.000Z', '2026-11-20T18:15:00.000Z'],
    ['daily', 'Asia/Kolkata', '2026-11-20T18:30:00Z', '2026-11-20T18:30:00.000Z', '2026-11-21T18:30:00.000Z'],
  ])('is the %s one in %s of %s', (length, timeZone, at, start, end) => {
    expect(texts(budgetWindow(length, timeZone, new Date(at)))).toEqual([start, end]);
  });

  it.each<[string, string, number]>([
    ['Europe/Berlin', '2026-03-29T12:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25T12:00:00Z', 25],
    ['Australia/Lord_Howe', '2026-04-05T02:00:00Z', 24.5],
    ['Australia/Lord_Howe', '2026-10-04T02:00:00Z', 23.5],
  ])('of a day on which clocks change in %s (%s) has %d hours', (timeZone, at, length) => {
    expect(hours(budgetWindow('daily', timeZone, new Date(at)))).toBe(length);
  });

  it('begins with the first midnight if clocks are put back to it', () => {
    // In Havana on 1 November 2026, the clocks go from 01:00 back to 00:00.
    const window = budgetWindow('daily', 'America/Havana', new Date('2026-11-01T05:30:00Z'));
    expect(texts(window)).toEqual(['2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z']);
  });

  it('begins with the first moment of the day if midnight is skipped', () => {
    // In Beirut on 29 March 2026, the clocks go from 00:00 to 01:00.
    const window = budgetWindow('daily', 'Asia/Beirut', new Date('2026-03-29T12:00:00Z'));
    expect(texts(window)).toEqual(['2026-03-28T22:00:00.000Z', '2026-03-29T21:00:00.000Z']);
    // São Paulo on 4 November 2018: the last time that midnight was skipped before Brazil abolished summer time.
    const last = budgetWindow('daily', 'America/Sao_Paulo', new Date('2018-11-04T12:00:00Z'));
    expect(texts(last)).toEqual(['2018-11-04T03:00:00.000Z', '2018-11-05T02:00:00.000Z']);
  });

  it('ends with the beginning of the day after next if a zone skips a day', () => {
    // Apia skipped 30 December 2011.
    const window = budgetWindow('daily', 'Pacific/Apia', new Date('2011-12-30T09:59:00Z'));
    expect(window.end.toISOString()).toBe('2011-12-30T10:00:00.000Z');
    expect(budgetWindow('daily', 'Pacific/Apia', window.end).start).toEqual(window.end);
  });

  it('contains the time for which it was computed, also if clocks are put back over midnight', () => {
    // In St. John's on 7 November 2010, the clocks go from 00:01 back to 23:01 of the previous day.
    const at = new Date('2010-11-07T03:00:00Z');
    const { start, end } = budgetWindow('daily', 'America/St_Johns', at);
    expect(start <= at && at < end).toBe(true);
    fc.assert(
      fc.property(zone, period, instant, (timeZone, length, moment) => {
        const window = budgetWindow(length, timeZone, moment);
        expect(window.start <= moment && moment < window.end).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the same for every time in it, and the next one begins where it ends', () => {
    fc.assert(
      fc.property(zone, period, instant, fc.double({ min: 0, max: 1, noNaN: true }), (timeZone, length, at, share) => {
        const window = budgetWindow(length, timeZone, at);
        const span = window.end.getTime() - window.start.getTime() - 1;
        for (const within of [0, 1, Math.floor(span * share), span]) {
          const moment = new Date(window.start.getTime() + within);
          expect(budgetWindow(length, timeZone, moment)).toEqual(window);
        }
        expect(budgetWindow(length, timeZone, window.end).start).toEqual(window.end);
        expect(budgetWindow(length, timeZone, new Date(window.start.getTime() - 1)).end).toEqual(window.start);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a week begins on a Monday, and of a month on the first', () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, at) => {
        const week = clockOf(timeZone, budgetWindow('weekly', timeZone, at).start);
        // If a time zone skipped a Monday, that week begins on Tuesday.
        if (timeZone !== 'Pacific/Apia') expect(week.weekday).toBe('Mon');
        expect(clockOf(timeZone, budgetWindow('monthly', timeZone, at).start).date).toMatch(/-01$/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a day lies within one week and one month', () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, at) => {
        const day = budgetWindow('daily', timeZone, at);
        for (const length of ['weekly', 'monthly'] as const) {
          const longer = budgetWindow(length, timeZone, at);
          expect(longer.start <= day.start && day.end <= longer.end).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a calendar of windows', () => {
  it('returns the computed windows, in any order of requests', () => {
    fc.assert(
      fc.property(
        zone,
        fc.array(fc.tuple(period, fc.integer({ min: -400, max: 400 })), { minLength: 1, maxLength: 60 }),
        (timeZone, asked) => {
          const calendar = new WindowCalendar(timeZone);
          for (const [length, hour] of asked) {
            const at = new Date(Date.UTC(2026, 10, 20) + hour * 3_600_000);
            expect(calendar.windowOf(length, at)).toEqual(budgetWindow(length, timeZone, at));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('computes a window once for all times in it', () => {
    const calendar = new WindowCalendar('Europe/Berlin');
    const first = calendar.windowOf('monthly', new Date('2026-11-20T12:00:00Z'));
    expect(calendar.windowOf('monthly', new Date('2026-11-01T00:00:00Z'))).toBe(first);
    expect(calendar.windowOf('monthly', new Date('2026-12-01T00:00:00Z'))).not.toBe(first);
  });
});
