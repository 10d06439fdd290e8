import { money } from './format.ts';

/** What a budget has spent of its window. */
interface Spending {
  spent_usd: number | null;
  window_start: string;
  window_end: string;
}

/** The part of a window that must have passed before its pace says anything. */
const PACE_FROM = 0.02;

/** Dollars that the budget will have spent when its window ends, if spending keeps its pace. Undefined early in a window. */
export function spentAtEnd({ spent_usd, window_start, window_end }: Spending, now: number): number | undefined {
  const [start, end] = [new Date(window_start).getTime(), new Date(window_end).getTime()];
  const share = (now - start) / (end - start);
  return share < PACE_FROM || spent_usd === null ? undefined : spent_usd / Math.min(share, 1);
}

/** The forecast of a budget in a few words, and whether it is more than the amount. */
export function forecast(
  budget: Spending & { spent_usd: number; amount_usd: number },
  now: number,
): [text: string, isOver: boolean] {
  if (budget.spent_usd >= budget.amount_usd) return ['exceeded', true];
  const end = spentAtEnd(budget, now);
  if (end === undefined) return ['no forecast yet', false];
  return [`forecast ${money(end)}`, end > budget.amount_usd];
}
