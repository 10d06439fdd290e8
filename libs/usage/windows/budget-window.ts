import { Temporal } from 'temporal-polyfill';

/** The periods of budgets, in the organization's time zone. Weeks begin on Monday. */
export const BUDGET_PERIODS = ['daily', 'weekly', 'monthly'] as const;

/** One period of budgets. */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** A day, week or month as instants; `end` is the first instant after it. */
export interface BudgetWindow {
  readonly start: Date;
  readonly end: Date;
}

const FIRST_DAYS: Record<BudgetPeriod, (day: Temporal.PlainDate) => Temporal.PlainDate> = {
  daily: day => day,
  weekly: day => day.subtract({ days: day.dayOfWeek - 1 }),
  monthly: day => day.with({ day: 1 }),
};

const LENGTHS: Record<BudgetPeriod, Temporal.DurationLike> = {
  daily: { days: 1 },
  weekly: { weeks: 1 },
  monthly: { months: 1 },
};

/**
 * The window of a budget that contains an instant. Days begin with the first instant that a zone's clocks show on that
 * date, also where midnight is skipped or happens twice, so that windows neither overlap nor leave gaps.
 */
export function budgetWindow(period: BudgetPeriod, timeZone: string, at: Date): BudgetWindow {
  const today = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone).toPlainDate();
  const first = FIRST_DAYS[period](today);
  const next = first.add(LENGTHS[period]);
  const end = startOf(next, timeZone);
  if (at < end) return { start: startOf(first, timeZone), end };
  // Clocks that are put back over midnight show the old date again after the first moment of the new one.
  return { start: end, end: startOf(next.add(LENGTHS[period]), timeZone) };
}

function startOf(day: Temporal.PlainDate, timeZone: string): Date {
  return new Date(day.toZonedDateTime(timeZone).epochMilliseconds);
}
