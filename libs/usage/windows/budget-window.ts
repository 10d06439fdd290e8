import { Temporal } from 'temporal-polyfill';

/** The periods of budgets, in the organization's time zone. Weeks begin on Monday, quarters and years with the fiscal year. */
export const BUDGET_PERIODS = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const;

/** One period of budgets. */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** A day, week, month, quarter or year as instants; `end` is the first instant after it. */
export interface BudgetWindow {
  readonly start: Date;
  readonly end: Date;
}

/** The settings that determine the windows of an organization's budgets. */
export interface OrgCalendar {
  /** IANA name of the organization's time zone. */
  readonly timeZone: string;
  /** The month in which the fiscal year begins, 1 to 12. */
  readonly firstMonth: number;
}

type FirstDay = (day: Temporal.PlainDate, firstMonth: number) => Temporal.PlainDate;

const FIRST_DAYS: Record<BudgetPeriod, FirstDay> = {
  daily: day => day,
  weekly: day => day.subtract({ days: day.dayOfWeek - 1 }),
  monthly: day => day.with({ day: 1 }),
  quarterly: (day, firstMonth) => day.with({ day: 1 }).subtract({ months: fiscalMonth(day, firstMonth) % 3 }),
  yearly: (day, firstMonth) => day.with({ day: 1 }).subtract({ months: fiscalMonth(day, firstMonth) }),
};

const LENGTHS: Record<BudgetPeriod, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
  quarterly: { months: 3 },
  yearly: { years: 1 },
};

/**
 * The window of a budget that contains an instant. A day begins with the first instant at which the clocks of the zone
 * show its date. Windows therefore neither overlap nor leave gaps, even if midnight is skipped or happens twice.
 * @param timeZone IANA name
 * @param firstMonth the month in which the fiscal year begins, 1 to 12
 */
export function budgetWindow(period: BudgetPeriod, timeZone: string, at: Date, firstMonth = 1): BudgetWindow {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  const first = FIRST_DAYS[period](today, firstMonth);
  const next = first.add(LENGTHS[period]);
  const end = startOf(next, timeZone);
  if (at < end) return { start: startOf(first, timeZone), end };
  // If clocks are set back across midnight, they show the old date again after the new day has begun.
  return { start: end, end: startOf(next.add(LENGTHS[period]), timeZone) };
}

/** The window of a budget that contains an instant, according to an organization's calendar. */
export function windowIn({ timeZone, firstMonth }: OrgCalendar, period: BudgetPeriod, at: Date): BudgetWindow {
  return budgetWindow(period, timeZone, at, firstMonth);
}

/** Months since the fiscal year began, 0 to 11. */
function fiscalMonth(day: Temporal.PlainDate, firstMonth: number): number {
  return (day.month - firstMonth + 12) % 12;
}

function startOf(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}
