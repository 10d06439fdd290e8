import { money, percent } from '../data/format.ts';

interface MeterProps {
  spent: number;
  amount: number;
  /** Name of the meter for screen readers. */
  label: string;
}

/** Shows how much of a budget is spent, with marks at 80 and 100 %. The scale ends at 120 % of the budget. */
export function Meter({ spent, amount, label }: MeterProps) {
  const share = amount > 0 ? spent / amount : spent > 0 ? 2 : 0;
  const color = share >= 1 ? 'var(--critical)' : share >= 0.8 ? 'var(--high)' : 'var(--accent)';
  return (
    <svg
      viewBox="0 0 120 10"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${money(spent)} of ${money(amount)}, ${percent(share)}`}
      className="h-2.5 w-full"
    >
      <rect y="3" width="100" height="4" fill="var(--line)" />
      <rect y="3" width={Math.min(share, 1.2) * 100} height="4" fill={color} data-series />
      <path d="M80 0v10M100 0v10" stroke="var(--ink)" vectorEffect="non-scaling-stroke" strokeWidth="1" />
    </svg>
  );
}
