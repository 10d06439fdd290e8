import { money, percent } from '../data/format.ts';

/** Spending and amount of a budget, in dollars and percent. */
export function SpentOf({ spent, amount }: { spent: number; amount: number }) {
  return (
    <>
      <span className="tabular-nums">
        {money(spent)} <span className="text-muted">of {money(amount)}</span>
      </span>
      <span className="w-14 text-right font-medium tabular-nums">{amount > 0 ? percent(spent / amount) : '–'}</span>
    </>
  );
}
