import { budgetWindow, type BudgetPeriod, type BudgetWindow } from './budget-window.js';

/** Number of cached windows per period: the current window, the previous one, and a few before and after them. */
const CACHE_SIZE = 8;

/**
 * The windows of one time zone and fiscal year. The most recent ones are cached, because computing one takes about 20
 * µs.
 */
export class WindowCalendar {
  private readonly known: Record<BudgetPeriod, BudgetWindow[]> = {
    daily: [],
    weekly: [],
    monthly: [],
    quarterly: [],
    yearly: [],
  };

  /**
   * @param timeZone IANA name
   * @param firstMonth the month in which the fiscal year begins, 1 to 12
   */
  constructor(
    readonly timeZone: string,
    readonly firstMonth = 1,
  ) {}

  /** The window that contains the instant. */
  windowOf(period: BudgetPeriod, at: Date): BudgetWindow {
    const known = this.known[period];
    const found = known.find(({ start, end }) => start <= at && at < end);
    if (found) return found;
    const window = budgetWindow(period, this.timeZone, at, this.firstMonth);
    known.unshift(window);
    if (known.length > CACHE_SIZE) known.pop();
    return window;
  }
}
