import { BadRequestError } from '#core';
import { DAY_MS, parseCalendarDate } from './calendar-date.js';

/** Midnight UTC after 9999-12-31, the last day that labels and `YYYY-MM-DD` can express. */
const END_OF_CALENDAR = Date.UTC(10_000, 0, 1);

/** The instants that a pair of inclusive dates covers. A missing date leaves its side open: null. */
export interface DateRange {
  /** Midnight UTC of the first day, inclusive. */
  from: Date | null;
  /** Midnight UTC after the last day, exclusive. Null after 9999-12-31. */
  until: Date | null;
}

/**
 * Reads `start_date` and `end_date`, both `YYYY-MM-DD`, inclusive and UTC.
 * @throws BadRequestError naming the invalid field, also if the start is after the end
 */
export function parseDateRange(startDate: string | undefined, endDate: string | undefined): DateRange {
  const from = readDate('start_date', startDate);
  const last = readDate('end_date', endDate);
  if (from && last && from > last) {
    throw BadRequestError.field(
      'start_date',
      `${startDate} is after end_date ${endDate}; swap them or widen the range`,
    );
  }
  const until = last && last.getTime() + DAY_MS;
  return { from, until: until === null || until === END_OF_CALENDAR ? null : new Date(until) };
}

function readDate(field: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const date = parseCalendarDate(text);
  if (!date)
    throw BadRequestError.field(field, 'must be an existing day as YYYY-MM-DD between 1970-01-01 and 9999-12-31');
  return date;
}
