import { DAY_MS, formatCalendarDate, parseCalendarDate } from './calendar-date.js';

/** The aggregation periods of usage, all in UTC. */
export const PERIODS = ['hourly', 'daily', 'weekly', 'monthly'] as const;

/** One aggregation period. */
export type Period = (typeof PERIODS)[number];

/** A half-open time range: `start` is inclusive, `end` exclusive. */
export interface PeriodBounds {
  start: Date;
  end: Date;
}

interface PeriodRule {
  start(at: Date): Date;
  next(start: Date): Date;
  label(start: Date): string;
  /** Start of the period that the label names, or undefined for an invalid label. */
  parse(label: string): Date | undefined;
}

const HOUR_MS = 3_600_000;
const HOUR_LABEL = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):00:00Z$/;
const WEEK_LABEL = /^(\d{4})-W(\d{2})$/;

/** Monday = 0 … Sunday = 6. */
function weekday(day: Date): number {
  return (day.getUTCDay() + 6) % 7;
}

function addDays(day: Date, days: number): Date {
  return new Date(day.getTime() + days * DAY_MS);
}

/** ISO 8601: week 1 is the week that contains 4 January; weeks begin on Monday. */
function firstMonday(isoYear: number): Date {
  const fourth = new Date(Date.UTC(isoYear, 0, 4));
  return addDays(fourth, -weekday(fourth));
}

const RULES: Record<Period, PeriodRule> = {
  hourly: {
    start: at => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
    next: start => new Date(start.getTime() + HOUR_MS),
    label: start => `${start.toISOString().slice(0, 13)}:00:00Z`,
    parse: label => {
      const match = HOUR_LABEL.exec(label);
      const day = parseCalendarDate(match?.[1] ?? '');
      return day && new Date(day.getTime() + Number(match?.[2]) * HOUR_MS);
    },
  },
  daily: {
    start: at => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS),
    next: start => addDays(start, 1),
    label: formatCalendarDate,
    parse: parseCalendarDate,
  },
  weekly: {
    start: at => {
      const day = RULES.daily.start(at);
      return addDays(day, -weekday(day));
    },
    next: start => addDays(start, 7),
    label: start => {
      // A week belongs to the year of its Thursday.
      const isoYear = addDays(start, 3).getUTCFullYear();
      const week = 1 + Math.round((start.getTime() - firstMonday(isoYear).getTime()) / (7 * DAY_MS));
      return `${String(isoYear).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
    },
    parse: label => {
      const match = WEEK_LABEL.exec(label);
      if (!match || Number(match[1]) < 1970) return undefined;
      const start = addDays(firstMonday(Number(match[1])), (Number(match[2]) - 1) * 7);
      return RULES.weekly.label(start) === label ? start : undefined;
    },
  },
  monthly: {
    start: at => new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
    next: start => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)),
    label: start => formatCalendarDate(start).slice(0, 7),
    parse: label => parseCalendarDate(`${label}-01`),
  },
};

/** First instant of the period that contains the instant. */
export function periodStart(period: Period, at: Date): Date {
  return RULES[period].start(at);
}

/** The period that contains the instant, end exclusive. */
export function periodAround(period: Period, at: Date): PeriodBounds {
  const start = RULES[period].start(at);
  return { start, end: RULES[period].next(start) };
}

/**
 * The label of the period that contains the instant: `2026-11-20T13:00:00Z`, `2026-11-20`, `2026-W47` (ISO 8601),
 * `2026-11`. The years 1970 to 9999.
 */
export function periodLabel(period: Period, at: Date): string {
  return RULES[period].label(RULES[period].start(at));
}

/** The bounds of the period with this label, or undefined for an invalid label such as `2027-W53` or `2026-13`. */
export function parsePeriodLabel(period: Period, label: string): PeriodBounds | undefined {
  const start = RULES[period].parse(label);
  return start && { start, end: RULES[period].next(start) };
}
