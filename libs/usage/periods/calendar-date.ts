const CALENDAR_DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const MONTH_LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Length of one UTC day. */
export const DAY_MS = 86_400_000;

/** Whether the day exists in the Gregorian calendar. Months are numbered from 1. */
export function isCalendarDay(year: number, month: number, day: number): boolean {
  const length = MONTH_LENGTHS[month - 1];
  if (length === undefined || day < 1) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && isLeapYear ? 29 : length);
}

/**
 * Midnight UTC of a date in the strict form `YYYY-MM-DD`, in the years 1970 to 9999. Undefined if there is no such day.
 */
export function parseCalendarDate(text: string): Date | undefined {
  const match = CALENDAR_DATE.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1970 || !isCalendarDay(year, month, day)) return undefined;
  return new Date(Date.UTC(year, month - 1, day));
}

/** The UTC day of an instant as `YYYY-MM-DD`. */
export function formatCalendarDate(at: Date): string {
  return at.toISOString().slice(0, 10);
}
