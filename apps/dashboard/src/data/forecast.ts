import { money } from './format.ts';

/** What a budget has spent of its window. */
interface Spending {
  spent_usd: number | null;
  window_start: string;
  window_end: string;
}

/** Less of the window than this says nothing about its pace. */
const PACE_FROM = 0.02;

/** What is spent at the end of the window at the pace so far; undefined while the window is too young to say. */
export function endOf({ spent_usd, window_start, window_end }: Spending, now: number): number | undefined {
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
  const end = endOf(budget, now);
  if (end === undefined) return ['no forecast yet', false];
  return [`forecast ${money(end)}`, end > budget.amount_usd];
}
