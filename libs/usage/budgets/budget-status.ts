import type { BudgetWindow } from '../windows/index.js';

/** What is known of one window; money in picodollars. */
export interface WindowFigures {
  readonly spent: bigint;
  readonly reserved: bigint;
  /** When people were told that the budget was used up; null where they were not. */
  readonly exceededAt: Date | null;
}

/** A window that nobody has used yet. */
export const NOTHING_SPENT: WindowFigures = { spent: 0n, reserved: 0n, exceededAt: null };

/** Where a budget stands in its present window; money in picodollars. */
export interface BudgetStatus {
  readonly window: BudgetWindow;
  readonly spent: bigint;
  readonly reserved: bigint;
  /** What is neither spent nor held; never below 0. */
  readonly remaining: bigint;
  readonly exhaustion: Date | null;
}

/** Where a budget of so many picodollars stands. */
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
 * When spending reaches the amount, if it goes on at the pace since the window began; null where it does not within the
 * window. Where it has been reached, the time at which that was noticed. What is held does not count: it may be given
 * back.
 */
export function projection(
  amount: bigint,
  { start, end }: BudgetWindow,
  { spent, exceededAt }: Pick<WindowFigures, 'spent' | 'exceededAt'>,
  at: Date,
): Date | null {
  // A budget of nothing is used up before anybody notices.
  if (spent >= amount) return exceededAt ?? start;
  const elapsed = BigInt(at.getTime() - start.getTime());
  if (spent === 0n || elapsed <= 0n) return null;
  const needed = (elapsed * amount + spent - 1n) / spent;
  return needed < BigInt(end.getTime() - start.getTime()) ? new Date(start.getTime() + Number(needed)) : null;
}
