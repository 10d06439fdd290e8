import { money, percent } from '../../data/format.ts';
import { meterEnd, meterMarks } from '../../charts/scale.ts';
import { cx } from '../../parts/cx.ts';
import { MARKS, shareOf, standingOf, type Budget } from './standing.ts';

const COLORS = { within: 'var(--accent)', warning: 'var(--high)', exceeded: 'var(--critical)', parts: 'var(--line)' };

/** What a meter shows: a budget, or a part of one. */
type Counted = Pick<Budget, 'amount_usd' | 'spent_usd' | 'reserved_usd'>;

/** Share of the width from which on the label of 100 % would not fit below its mark. */
const EDGE = 0.96;

/**
 * Shows how much of a budget is spent and how much is reserved for running calls, with a mark at 80 %, and one at 100 %
 * if more is spent or reserved.
 */
export function BudgetMeter({ budget, tall = false }: { budget: Counted; tall?: boolean }) {
  const { amount_usd, spent_usd, reserved_usd } = budget;
  // A split budget has no spending of its own; only its parts have.
  if (spent_usd === null) return null;
  const reserved = reserved_usd ?? 0;
  const share = shareOf(budget) ?? 0;
  const reservedShare = amount_usd > 0 ? reserved / amount_usd : 0;
  const end = meterEnd(share + reservedShare);
  const spent = Math.min(share / end, 1);
  const held = Math.min(reservedShare / end, 1 - spent);
  const heldText = reserved > 0 ? `, ${money(reserved)} held` : '';
  return (
    <div className={cx(tall && 'pb-4', 'relative')}>
      <svg
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        aria-hidden
        className={cx('block w-full', tall ? 'h-6' : 'h-3')}
      >
        <rect y="3" width="100" height="4" fill="var(--line)" />
        <rect y="3" width={spent * 100} height="4" fill={COLORS[standingOf(budget)]} data-series />
        {/* The reserved amount has the same color, and half the height. */}
        <rect x={spent * 100} y="4" width={held * 100} height="2" fill={COLORS[standingOf(budget)]} data-series />
        <path d={meterMarks(end)} stroke="var(--ink)" vectorEffect="non-scaling-stroke" strokeWidth="1" />
      </svg>
      <span className="sr-only">{`${money(spent_usd)} of ${money(amount_usd)} spent${heldText}`}</span>
      {tall && (
        <div aria-hidden className="absolute inset-x-0 bottom-0 h-4 text-tiny text-muted tabular-nums">
          <span className="absolute -translate-x-1/2" style={{ left: `${(MARKS.warning / end) * 100}%` }}>
            80%
          </span>
          {MARKS.full / end > EDGE ? (
            <span className="absolute right-0">100%</span>
          ) : (
            <span className="absolute -translate-x-1/2" style={{ left: `${(MARKS.full / end) * 100}%` }}>
              100%
            </span>
          )}
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
