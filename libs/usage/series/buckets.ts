import { Temporal } from 'temporal-polyfill';
import { BadRequestError } from '#core';
import type { DatedRates } from '../currency/index.js';
import { periodLabel, type Period } from '../periods/index.js';

/** A period of a report in a time zone, cut to the dates of the report. */
export interface Bucket {
  /** `2026-11-20T13:00:00+01:00` (`…Z` in UTC), `2026-11-20`, `2026-W47` or `2026-11`. */
  readonly label: string;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
}

/** Maximum number of periods in one report: three years of days, or six weeks of hours. */
const BUCKETS_MAX = 1_100;

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

type Longer = Exclude<Period, 'hourly'>;

const FIRST_DAYS: Record<Longer, (day: Temporal.PlainDate) => Temporal.PlainDate> = {
  daily: day => day,
  weekly: day => day.subtract({ days: day.dayOfWeek - 1 }),
  monthly: day => day.with({ day: 1 }),
};

const LENGTHS: Record<Longer, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
};

/**
 * Returns the periods from one day to another, both `YYYY-MM-DD` and inclusive, in a time zone. As in budget windows, a
 * day begins with the first instant at which the clocks of the zone show its date. The first and the last week or month
 * may be incomplete: they are cut at the dates of the report.
 * @throws BadRequestError if there are more than {@link BUCKETS_MAX}
 */
export function bucketsOf(period: Period, timeZone: string, firstDay: string, lastDay: string): Bucket[] {
  const [first, last] = [Temporal.PlainDate.from(firstDay), Temporal.PlainDate.from(lastDay)];
  return period === 'hourly' ? hours(timeZone, first, last) : days(period, timeZone, first, last);
}

/** A part of a bucket in which one exchange rate applies. */
export interface RatedSpan {
  /** Index of the bucket. */
  readonly bucket: number;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  /** The exchange rate. Null without conversion, and on days without a rate. */
  readonly rate: string | null;
}

/** Splits buckets at the days on which the exchange rate changes. Days are those of the time zone. */
export function ratedSpans(buckets: readonly Bucket[], timeZone: string, rates: DatedRates): RatedSpan[] {
  const spans: RatedSpan[] = [];
  for (const [bucket, { start, end }] of buckets.entries()) {
    let from = start;
    while (from < end) {
      const rate = rates.on(dayOf(from, timeZone));
      let until = nextDay(from, timeZone, end);
      while (until < end && rates.on(dayOf(until, timeZone)) === rate) until = nextDay(until, timeZone, end);
      spans.push({ bucket, start: from, end: until, rate });
      from = until;
    }
  }
  return spans;
}

/** The start of the day after an instant, but not later than `end`. */
function nextDay(at: Date, timeZone: string, end: Date): Date {
  const next = startOf(Temporal.PlainDate.from(dayOf(at, timeZone)).add({ days: 1 }), timeZone);
  return new Date(Math.min(next, end.getTime()));
}

/** The day on which the clocks of a zone show an instant. */
export function dayOf(at: Date, timeZone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

function days(period: Longer, timeZone: string, first: Temporal.PlainDate, last: Temporal.PlainDate): Bucket[] {
  const buckets: Bucket[] = [];
  let start = startOf(first, timeZone);
  const until = startOf(last.add({ days: 1 }), timeZone);
  for (let day = FIRST_DAYS[period](first); start < until;) {
    const label = periodLabel(period, new Date(`${day.toString()}T00:00:00Z`));
    day = day.add(LENGTHS[period]);
    const end = Math.min(startOf(day, timeZone), until);
    add(buckets, label, start, end);
    start = end;
  }
  return buckets;
}

function hours(timeZone: string, first: Temporal.PlainDate, last: Temporal.PlainDate): Bucket[] {
  const buckets: Bucket[] = [];
  const until = startOf(last.add({ days: 1 }), timeZone);
  let start = startOf(first, timeZone);
  for (let day = first.add({ days: 1 }); start < until; day = day.add({ days: 1 })) {
    const end = startOf(day, timeZone);
    for (const [at, next] of hoursWithin(start, end, timeZone)) add(buckets, hourLabel(at, timeZone), at, next);
    start = end;
  }
  return buckets;
}

/**
 * The hours that clocks show between two instants. If the clocks change, an hour can be shorter, longer or repeated.
 */
function hoursWithin(start: number, end: number, timeZone: string): [number, number][] {
  const [first, last] = [zoned(start, timeZone), zoned(end, timeZone)];
  const isPlain = end - start === DAY_MS && first.offset === last.offset && first.minute === 0;
  const step = isPlain ? HOUR_MS : QUARTER_MS;
  const borders: number[] = [];
  let shown = '';
  for (let at = start; at < end; at += step) {
    const label = isPlain ? String(at) : hourLabel(at, timeZone);
    if (label !== shown) borders.push(at);
    shown = label;
  }
  return borders.map((at, index) => [at, borders[index + 1] ?? end]);
}

function hourLabel(at: number, timeZone: string): string {
  const { year, month, day, hour, offset } = zoned(at, timeZone);
  const pad = (part: number) => String(part).padStart(2, '0');
  const zone = timeZone === 'UTC' ? 'Z' : offset;
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}T${pad(hour)}:00:00${zone}`;
}

function zoned(at: number, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
}

/**
 * Rounds the start of a day down to a quarter of an hour, because that is the finest rollup. Since 1972, no zone has
 * had an offset that is not a multiple of a quarter.
 */
function startOf(day: Temporal.PlainDate, timeZone: string): number {
  const { epochMilliseconds } = day.toZonedDateTime(timeZone);
  return epochMilliseconds - (epochMilliseconds % QUARTER_MS);
}

function add(buckets: Bucket[], label: string, start: number, end: number): void {
  if (buckets.length >= BUCKETS_MAX) {
    throw BadRequestError.field('period', `makes more than ${BUCKETS_MAX} periods; use a longer period or fewer days`);
  }
  buckets.push({ label, start: new Date(start), end: new Date(end) });
}
