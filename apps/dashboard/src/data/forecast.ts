import { money } from './format.ts';

/** The spending of a budget in its window. */
interface Spending {
  spent_usd: number | null;
  window_start: string;
  window_end: string;
}

/** Share of a window that must have passed before the page makes a forecast. */
const PACE_FROM = 0.02;

/**
 * Forecast of a budget's spending at the end of its window, in dollars, if the current rate continues. Undefined early
 * in a window.
 */
export function spentAtEnd({ spent_usd, window_start, window_end }: Spending, now: number): number | undefined {
  const [start, end] = [new Date(window_start).getTime(), new Date(window_end).getTime()];
  const share = (now - start) / (end - start);
  return share < PACE_FROM || spent_usd === null ? undefined : spent_usd / Math.min(share, 1);
}

/** A short text with the forecast for a budget, and whether the forecast exceeds the amount. */
export function forecast(
  budget: Spending & { spent_usd: number; amount_usd: number },
  now: number,
): [text: string, isOver: boolean] {
  if (budget.spent_usd >= budget.amount_usd) return ['Exceeded', true];
  const end = spentAtEnd(budget, now);
  if (end === undefined) return ['No forecast yet', false];
  return [`Forecast ${money(end)}`, end > budget.amount_usd];
}
