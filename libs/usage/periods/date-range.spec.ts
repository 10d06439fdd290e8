import { describe, expect, it } from '@jest/globals';
import { BadRequestError } from '#core';
import * as fc from 'fast-check';
import { formatCalendarDate, parseCalendarDate } from './calendar-date.js';
import { parseDateRange } from './date-range.js';

describe('calendar dates', () => {
  it.each(['2000-02-29', '2024-02-29', '9999-12-31', '1970-01-01'])('include %s', text => {
    expect(parseCalendarDate(text)).toEqual(new Date(`${text}T00:00:00Z`));
  });

  it.each([
    '2026-02-30',
    '2026-02-29',
    '2100-02-29',
    '1900-02-29',
    '1969-12-31',
    '0000-01-01',
    '10000-01-01',
    '2026-13-01',
    '2026-00-10',
  ])('do not include %s', text => expect(parseCalendarDate(text)).toBeUndefined());

  it.each(['2026-1-1', '2026-01-01T00:00:00Z', ' 2026-01-01', '2026-01-01\n', '20260101', '', '٢٠٢٦-٠١-٠١'])(
    'accept only YYYY-MM-DD: %j',
    text => expect(parseCalendarDate(text)).toBeUndefined(),
  );

  it('are exactly the days of the calendar', () => {
    const part = (max: number) => fc.integer({ min: 0, max }).map(n => String(n).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1970, max: 9999 }), part(13), part(32), (year, month, day) => {
        const text = `${year}-${month}-${day}`;
        const date = new Date(`${text}T00:00:00Z`);
        const exists = !Number.isNaN(date.getTime()) && formatCalendarDate(date) === text;
        expect(parseCalendarDate(text)).toEqual(exists ? date : undefined);
      }),
    );
  });
});

describe('date ranges', () => {
  it('include the whole last day', () => {
    expect(parseDateRange('2026-11-01', '2026-11-30')).toEqual({
      from: new Date('2026-11-01T00:00:00Z'),
      until: new Date('2026-12-01T00:00:00Z'),
    });
  });

  it('may have one day', () => {
    expect(parseDateRange('2026-11-20', '2026-11-20').until).toEqual(new Date('2026-11-21T00:00:00Z'));
  });

  it('have no bound on a side that is not given', () => {
    expect(parseDateRange(undefined, undefined)).toEqual({ from: null, until: null });
  });

  it('have no end if it is the last day of the calendar', () => {
    expect(parseDateRange('2026-11-01', '9999-12-31').until).toBeNull();
    expect(parseDateRange(undefined, '9999-12-30').until).toEqual(new Date('9999-12-31T00:00:00Z'));
  });

  it('refuse a start after the end, with the name of the field', () => {
    expect(() => parseDateRange('2026-11-21', '2026-11-20')).toThrow(BadRequestError);
    expect(() => parseDateRange('2026-11-21', '2026-11-20')).toThrow(/start_date.*after end_date/);
  });

  it('refuse an invalid day, with the name of the field', () => {
    expect(() => parseDateRange('2026-01-01', '2026-02-30')).toThrow(/end_date/);
  });
});
