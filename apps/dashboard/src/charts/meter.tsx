import { money, percent } from '../data/format.ts';
import { meterEnd, meterMarks } from './scale.ts';

interface MeterProps {
  spent: number;
  amount: number;
  /** Name of the meter for screen readers. */
  label: string;
}

/** Shows how much of a budget is spent, with a mark at 80 %, and one at 100 % if more is spent. */
export function Meter({ spent, amount, label }: MeterProps) {
  const share = amount > 0 ? spent / amount : spent > 0 ? 2 : 0;
  const end = meterEnd(share);
  const color = share >= 1 ? 'var(--critical)' : share >= 0.8 ? 'var(--high)' : 'var(--accent)';
  return (
    <svg
      viewBox="0 0 100 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${money(spent)} of ${money(amount)}, ${percent(share)}`}
      className="h-2.5 w-full"
    >
      <title>{end > 1 ? 'The marks are at 80% and 100%.' : 'The mark is at 80%.'}</title>
      <rect y="3" width="100" height="4" fill="var(--line)" />
      <rect y="3" width={Math.min(share / end, 1) * 100} height="4" fill={color} data-series />
      <path d={meterMarks(end)} stroke="var(--ink)" vectorEffect="non-scaling-stroke" strokeWidth="1" />
    </svg>
  );
}
