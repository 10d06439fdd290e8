export { formatCalendarDate, parseCalendarDate } from './calendar-date.js';
export { parseDateRange, type DateRange } from './date-range.js';
export { periodLabel, PERIODS, periodStart, type Period } from './period.js';
