import { spentAtEnd } from '../../data/forecast.ts';
import { money } from '../../data/format.ts';
import { distance, shortTime } from '../../data/time.ts';
import type { ItemOf } from '../../data/use-api.ts';

/** A budget with its spending. */
export type Budget = ItemOf<'listBudgets'>;

/** Shares of the amount. From `warning` on, alerts are sent. From `full` on, nothing is left. */
export const MARKS = { warning: 0.8, full: 1 } as const;

/** Status of a budget. `parts` means that only the parts of the budget have a status. */
type Standing = 'within' | 'warning' | 'exceeded' | 'parts';

/**
 * The share of a budget that is spent. If the amount is 0 and something was spent, it is greater than 1. Null if the
 * budget is split.
 */
export function shareOf({ spent_usd, amount_usd }: Pick<Budget, 'spent_usd' | 'amount_usd'>): number | null {
  if (spent_usd === null) return null;
  if (amount_usd > 0) return spent_usd / amount_usd;
  return spent_usd > 0 ? Number.POSITIVE_INFINITY : 1;
}

/** The status of a budget. */
export function standingOf(budget: Pick<Budget, 'spent_usd' | 'amount_usd'>): Standing {
  const share = shareOf(budget);
  if (share === null) return 'parts';
  if (share >= MARKS.full) return 'exceeded';
  return share >= MARKS.warning ? 'warning' : 'within';
}

/** Forecast of a budget at the current rate, in a few words for a table. */
export function shortProjection(budget: Budget, now: number): string {
  const standing = standingOf(budget);
  if (standing === 'parts') return `Per ${budget.split_by ?? 'part'}`;
  if (standing === 'exceeded') return budget.enforcement === 'block' ? 'Exceeded, blocking calls' : 'Exceeded';
  if (budget.projected_exhaustion !== null) return `Runs out ${distance(budget.projected_exhaustion, now)}`;
  const end = spentAtEnd(budget, now);
  return end === undefined || budget.spent_usd === 0 ? 'On track' : `On track, ${money(end)}`;
}

/** Forecast of a budget, in sentences. */
export function projection(budget: Budget, zone: string, now: number): string {
  const until = shortTime(budget.window_end, zone, now);
  const standing = standingOf(budget);
  if (standing === 'parts') return `Each ${budget.split_by ?? 'part'} has its own amount. The period ends ${until}.`;
  if (standing === 'exceeded') {
    const over = (budget.spent_usd ?? 0) - budget.amount_usd;
    const beyond = over > 0 ? `Spend exceeds the budget by ${money(over)}.` : 'The budget is used up.';
    return budget.enforcement === 'block'
      ? `${beyond} Calls in scope are blocked until ${until}.`
      : `${beyond} Calls continue: this budget only alerts. The next period starts ${until}.`;
  }
  if (budget.projected_exhaustion !== null) {
    const at = shortTime(budget.projected_exhaustion, zone, now);
    const early = new Date(budget.window_end).getTime() - new Date(budget.projected_exhaustion).getTime();
    const then = budget.enforcement === 'block' ? 'Calls are blocked from then on.' : 'Calls continue.';
    return `At the current rate the budget runs out on ${at}, ${span(early)} before the period ends. ${then}`;
  }
  const end = spentAtEnd(budget, now);
  if (budget.spent_usd === 0) return `Nothing spent yet. The period ends ${until}.`;
  if (end === undefined) return `The period has just started, so there is no projection yet. It ends ${until}.`;
  return `At the current rate, about ${money(end)} of ${money(budget.amount_usd)} is spent by ${until}, the end of the period.`;
}

function span(milliseconds: number): string {
  const hours = Math.round(milliseconds / 3_600_000);
  if (hours < 1) return 'less than an hour';
  if (hours < 48) return hours === 1 ? 'an hour' : `${hours} hours`;
  return `${Math.round(hours / 24)} days`;
}
