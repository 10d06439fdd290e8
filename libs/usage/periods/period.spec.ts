import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parsePeriodLabel, periodAround, periodLabel, PERIODS, type Period } from './period.js';

const instants = fc.date({
  min: new Date('1970-01-01T00:00:00Z'),
  max: new Date('9998-12-31T23:59:59Z'),
  noInvalidDate: true,
});

/** Counts the days since 1970, one year at a time. It is slow, but independent of the tested formula. */
function isoWeekByCounting(at: Date): string {
  const dayNumber = Math.floor(at.getTime() / 86_400_000);
  // 1970-01-01 was a Thursday, so day −3 was a Monday.
  const monday = dayNumber - ((((dayNumber + 3) % 7) + 7) % 7);
  const thursday = monday + 3;
  let year = 1970;
  let firstDay = 0;
  const lengthOf = (y: number) => ((y % 4 === 0 && y % 100 !== 0) || y % 400 === 0 ? 366 : 365);
  while (firstDay + lengthOf(year) <= thursday) firstDay += lengthOf(year++);
  return `${year}-W${String(Math.floor((thursday - firstDay) / 7) + 1).padStart(2, '0')}`;
}

describe('period labels', () => {
  it.each<[Period, string, string]>([
    ['hourly', '2026-11-20T13:59:59.999Z', '2026-11-20T13:00:00Z'],
    ['daily', '2026-11-20T23:59:59.999Z', '2026-11-20'],
    ['weekly', '2026-11-20T00:00:00Z', '2026-W47'],
    ['monthly', '2026-11-30T23:59:59.999Z', '2026-11'],
    ['weekly', '2021-01-01T00:00:00Z', '2020-W53'],
    ['weekly', '2021-01-04T00:00:00Z', '2021-W01'],
    ['weekly', '2027-01-01T12:00:00Z', '2026-W53'],
    ['weekly', '2028-01-01T12:00:00Z', '2027-W52'],
    ['weekly', '2024-12-30T00:00:00Z', '2025-W01'],
    ['weekly', '1970-01-01T00:00:00Z', '1970-W01'],
    ['monthly', '2024-02-29T12:00:00Z', '2024-02'],
  ])('are for %s of %s: %s', (period, instant, label) => {
    expect(periodLabel(period, new Date(instant))).toBe(label);
  });

  it('have the ISO week of an independent count of days', () => {
    fc.assert(fc.property(instants, at => expect(periodLabel('weekly', at)).toBe(isoWeekByCounting(at))));
  });

  it('name the period that contains the time', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), instants, (period, at) => {
        const bounds = parsePeriodLabel(period, periodLabel(period, at));
        expect(bounds).toEqual(periodAround(period, at));
        expect(bounds!.start <= at && at < bounds!.end).toBe(true);
      }),
    );
  });

  it('leave neither a gap nor an overlap between periods', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIODS), instants, (period, at) => {
        const { start, end } = periodAround(period, at);
        expect(periodAround(period, end).start).toEqual(end);
        expect(periodAround(period, new Date(end.getTime() - 1)).start).toEqual(start);
      }),
    );
  });

  it.each<[Period, string]>([
    ['weekly', '2027-W53'],
    ['weekly', '2026-W00'],
    ['weekly', '2026-W54'],
    ['weekly', '2026-47'],
    ['monthly', '2026-13'],
    ['monthly', '2026-1'],
    ['daily', '2026-02-30'],
    ['daily', '2026-11-20T00:00:00Z'],
    ['hourly', '2026-11-20T24:00:00Z'],
    ['hourly', '2026-11-20T13:30:00Z'],
    ['hourly', '2026-02-30T13:00:00Z'],
    ['hourly', '2026-11-20'],
  ])('refuse the %s label %s', (period, label) => {
    expect(parsePeriodLabel(period, label)).toBeUndefined();
  });

  it('have week 53 in the right years', () => {
    expect(parsePeriodLabel('weekly', '2020-W53')?.start.toISOString()).toBe('2020-12-28T00:00:00.000Z');
  });
});
