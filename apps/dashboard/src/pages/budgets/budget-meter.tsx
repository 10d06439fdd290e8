import { money, percent } from '../../data/format.ts';
import { cx } from '../../parts/cx.ts';
import { MARKS, shareOf, standingOf, type Budget } from './standing.ts';

const COLORS = { within: 'var(--accent)', warning: 'var(--high)', exceeded: 'var(--critical)', parts: 'var(--line)' };

/** What a meter shows: a budget, or a part of one. */
type Counted = Pick<Budget, 'amount_usd' | 'spent_usd' | 'reserved_usd'>;

/** Multiple of the amount at which the scale ends, so that overspending is visible. */
const BEYOND = 1.2;

/** Shows how much of a budget is spent and how much is reserved for running calls, with marks at 80 and 100 %. */
export function BudgetMeter({ budget, tall = false }: { budget: Counted; tall?: boolean }) {
  const { amount_usd, spent_usd, reserved_usd } = budget;
  // A split budget has no spending of its own; only its parts have.
  if (spent_usd === null) return null;
  const reserved = reserved_usd ?? 0;
  const spent = Math.min(shareOf(budget) ?? 0, BEYOND);
  const held = amount_usd > 0 ? Math.min(reserved / amount_usd, BEYOND - spent) : 0;
  const heldText = reserved > 0 ? `, ${money(reserved)} held` : '';
  return (
    <div className={cx(tall && 'pb-4', 'relative')}>
      <svg
        viewBox="0 0 120 10"
        preserveAspectRatio="none"
        aria-hidden
        className={cx('block w-full', tall ? 'h-6' : 'h-3')}
      >
        <rect y="3" width="100" height="4" fill="var(--line)" />
        <rect y="3" width={spent * 100} height="4" fill={COLORS[standingOf(budget)]} data-series />
        {/* The reserved amount has the same color, and half the height. */}
        <rect x={spent * 100} y="4" width={held * 100} height="2" fill={COLORS[standingOf(budget)]} data-series />
        <path
          d={`M${MARKS.warning * 100} 0.5v9M${MARKS.full * 100} 0.5v9`}
          stroke="var(--ink)"
          vectorEffect="non-scaling-stroke"
          strokeWidth="1"
        />
      </svg>
      <span className="sr-only">{`${money(spent_usd)} of ${money(amount_usd)} spent${heldText}`}</span>
      {tall && (
        <div aria-hidden className="absolute inset-x-0 bottom-0 h-4 text-tiny text-muted tabular-nums">
          <span className="absolute left-[66.67%] -translate-x-1/2">80%</span>
          <span className="absolute left-[83.33%] -translate-x-1/2">100%</span>
        </div>
      )}
    </div>
  );
}

/** The share of the budget that is spent, such as `87%`. */
export function Share({ budget }: { budget: Counted }) {
  const share = shareOf(budget);
  if (share === null) return <span className="text-muted">–</span>;
  const standing = standingOf(budget);
  return (
    <span
      className={cx(
        'font-medium tabular-nums',
        standing === 'exceeded' && 'text-critical',
        standing === 'warning' && 'text-high',
      )}
    >
      {Number.isFinite(share) ? percent(share) : 'over'}
    </span>
  );
}
