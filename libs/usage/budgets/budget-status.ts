import type { BudgetWindow } from '../windows/index.js';

/** State of one window; money in picodollars. */
export interface WindowFigures {
  readonly spent: bigint;
  readonly reserved: bigint;
  /** Time of the `budget_exceeded` alert; null if none was sent. */
  readonly exceededAt: Date | null;
}

/** A window without usage. */
export const NOTHING_SPENT: WindowFigures = { spent: 0n, reserved: 0n, exceededAt: null };

/** Spending of a budget in its current window; money in picodollars. */
export interface BudgetStatus {
  readonly window: BudgetWindow;
  readonly spent: bigint;
  readonly reserved: bigint;
  /** The amount that is neither spent nor reserved; never below 0. */
  readonly remaining: bigint;
  readonly exhaustion: Date | null;
}

/** The status of a budget whose amount, in picodollars, is this one. */
export function statusOf(amount: bigint, window: BudgetWindow, figures: WindowFigures, at: Date): BudgetStatus {
  const { spent, reserved } = figures;
  const left = amount - spent - reserved;
  return {
    window,
    spent,
    reserved,
    remaining: left > 0n ? left : 0n,
    exhaustion: projection(amount, window, figures, at),
  };
}

/**
 * Estimated time at which spending reaches the amount, if it continues at the average pace of the window so far; null
 * if that is after the end of the window. If the spending has already reached the amount: the time at which this was
 * detected. Reservations do not count, because they may be released.
 */
export function projection(
  amount: bigint,
  { start, end }: BudgetWindow,
  { spent, exceededAt }: Pick<WindowFigures, 'spent' | 'exceededAt'>,
  at: Date,
): Date | null {
  // A budget with the amount zero has reached its amount from the start, without an alert.
  if (spent >= amount) return exceededAt ?? start;
  const elapsed = BigInt(at.getTime() - start.getTime());
  if (spent === 0n || elapsed <= 0n) return null;
  const needed = (elapsed * amount + spent - 1n) / spent;
  return needed < BigInt(end.getTime() - start.getTime()) ? new Date(start.getTime() + Number(needed)) : null;
}
