export { DAY_MS, formatCalendarDate, isCalendarDay, parseCalendarDate } from './calendar-date.js';
export { parseDateRange, type DateRange } from './date-range.js';
export {
  isPeriod,
  parsePeriodLabel,
  periodAround,
  periodLabel,
  PERIODS,
  periodStart,
  type Period,
  type PeriodBounds,
} from './period.js';
