import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';
import { picoToDecimalString } from '../prices/index.js';
import type { BudgetWindow } from '../windows/index.js';
import type { KnownBudget } from './budget-scope.js';

/** A budget whose current window is replaced by another one. */
export interface BudgetMove {
  readonly budget: KnownBudget;
  readonly from: BudgetWindow;
  readonly to: BudgetWindow;
  /** Usage in the new window, in picodollars. Null if the spending recorded for the old window moves unchanged. */
  readonly spent: bigint | null;
}

// Locks the windows in the order of all writers. Reservations that already hold these locks finish before the move.
// Later reservations see that the budgets have changed.
const LOCK_WINDOWS = `
select from ${SCHEMA}.budget_windows w where w.org_id = $1 and w.budget_id = any($2::uuid[])
  and (w.reserved_usd > 0 or w.window_start = any($3::timestamptz[]))
order by w.budget_id, w.window_start, w.part for no key update`;

// Moves all reservations, also those in earlier windows, so that they are settled in windows of the new time zone. A
// transaction that releases a reservation locks the reservation first, and may then wait for the windows. Such a
// reservation stays in its old window and is released there.
const MOVE_RESERVATIONS = `
with moves as materialized (
  select * from unnest($2::uuid[], $3::timestamptz[]) as m (budget_id, to_start)),
held as materialized (
  select r.id, r.amount_usd, r.budget_ids, r.window_starts, r.parts from ${SCHEMA}.reservations r
  where r.org_id = $1 and r.budget_ids && $2::uuid[] for update skip locked),
moved as (
  update ${SCHEMA}.reservations r set window_starts = (
    select array_agg(coalesce(m.to_start, u.start) order by u.n)
    from unnest(h.budget_ids, h.window_starts) with ordinality u (budget_id, start, n)
    left join moves m on m.budget_id = u.budget_id)
  from held h where r.org_id = $1 and r.id = h.id),
carried as materialized (
  select u.budget_id, u.start, coalesce(u.part, '') as part, sum(h.amount_usd) as amount
  from held h, unnest(h.budget_ids, h.window_starts, h.parts) u (budget_id, start, part)
  where u.budget_id = any($2::uuid[]) group by 1, 2, 3),
given as (
  update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd - c.amount
  from carried c where w.org_id = $1 and w.budget_id = c.budget_id and w.window_start = c.start and w.part = c.part)
select budget_id, part, sum(amount)::text as amount from carried group by 1, 2`;

const OPEN = `
insert into ${SCHEMA}.budget_windows as w
  (org_id, budget_id, window_start, window_end, spent_usd, reserved_usd, warned_at, warned, exceeded_at)
select $1, m.budget_id, m.to_start, m.to_end, m.spent, m.reserved, o.warned_at, o.warned, o.exceeded_at
from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[], $6::numeric[], $7::numeric[])
  as m (budget_id, from_start, to_start, to_end, spent, reserved)
left join ${SCHEMA}.budget_windows o on o.org_id = $1 and o.budget_id = m.budget_id and o.window_start = m.from_start
  and o.part = ''
on conflict (org_id, budget_id, window_start, part) do update set
  window_end = excluded.window_end, spent_usd = excluded.spent_usd,
  reserved_usd = w.reserved_usd + excluded.reserved_usd,
  warned_at = coalesce(w.warned_at, excluded.warned_at), warned = coalesce(w.warned, excluded.warned),
  exceeded_at = coalesce(w.exceeded_at, excluded.exceeded_at)`;

// For budgets whose spending the rollups do not contain, and for budgets with too many parts to sum the usage of each
// part.
const TAKE_ALONG = `
insert into ${SCHEMA}.budget_windows as w
  (org_id, budget_id, window_start, part, window_end, spent_usd, warned_at, warned, exceeded_at)
select $1, m.budget_id, m.to_start, o.part, m.to_end, o.spent_usd, o.warned_at, o.warned, o.exceeded_at
from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
  as m (budget_id, from_start, to_start, to_end)
join ${SCHEMA}.budget_windows o on o.org_id = $1 and o.budget_id = m.budget_id and o.window_start = m.from_start
order by 2, 3, 4
on conflict (org_id, budget_id, window_start, part) do update set
  window_end = excluded.window_end, spent_usd = greatest(w.spent_usd, excluded.spent_usd),
  warned_at = coalesce(w.warned_at, excluded.warned_at), warned = coalesce(w.warned, excluded.warned),
  exceeded_at = coalesce(w.exceeded_at, excluded.exceeded_at)`;

const HOLD = `
insert into ${SCHEMA}.budget_windows as w (org_id, budget_id, window_start, part, window_end, reserved_usd)
select $1, m.* from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::numeric[])
  as m (budget_id, to_start, part, to_end, reserved)
order by 2, 3, 4
on conflict (org_id, budget_id, window_start, part) do update set reserved_usd = w.reserved_usd + excluded.reserved_usd`;

const COUNT_FROM = `
update ${SCHEMA}.budgets b set counts_from = m.to_start
from unnest($2::uuid[], $3::timestamptz[]) as m (budget_id, to_start) where b.org_id = $1 and b.id = m.budget_id`;

/**
 * Replaces the windows of budgets by windows with other bounds, and moves usage and reservations into them. Does not
 * repeat alerts that were already sent for the current windows. The caller holds the organization's usage lock.
 */
export async function moveWindows(
  tx: SqlTransaction,
  orgId: string,
  present: readonly BudgetMove[],
  next: readonly BudgetMove[],
): Promise<void> {
  const both = [...present, ...next];
  const starts = new Set(both.flatMap(({ from, to }) => [from.start.toISOString(), to.start.toISOString()]));
  const budgets = plainArray(present, ({ budget }) => budget.id);
  await tx.query(LOCK_WINDOWS, [orgId, budgets, plainArray([...starts], start => start)]);
  const to = plainArray(present, move => move.to.start.toISOString());
  const carried = await tx.query<Carried>(MOVE_RESERVATIONS, [orgId, budgets, to]);
  const counted = present.filter(({ spent }) => spent !== null);
  await open(tx, orgId, counted, new Map(carried.map(({ budget_id: id, amount }) => [id, amount])));
  await open(
    tx,
    orgId,
    next.filter(({ spent }) => spent !== null),
    new Map(),
  );
  await takeAlong(
    tx,
    orgId,
    present.filter(({ spent }) => spent === null),
    carried,
  );
  await tx.query(COUNT_FROM, [orgId, budgets, to]);
}

interface Carried {
  budget_id: string;
  part: string;
  amount: string;
}

async function takeAlong(
  tx: SqlTransaction,
  orgId: string,
  moves: readonly BudgetMove[],
  carried: readonly Carried[],
): Promise<void> {
  if (moves.length === 0) return;
  await tx.query(TAKE_ALONG, [
    orgId,
    plainArray(moves, ({ budget }) => budget.id),
    plainArray(moves, ({ from }) => from.start.toISOString()),
    plainArray(moves, ({ to }) => to.start.toISOString()),
    plainArray(moves, ({ to }) => to.end.toISOString()),
  ]);
  const byId = new Map(moves.map(move => [move.budget.id, move]));
  const held = carried.flatMap(row => {
    const move = byId.get(row.budget_id);
    return move ? [{ ...row, to: move.to }] : [];
  });
  if (held.length === 0) return;
  await tx.query(HOLD, [
    orgId,
    plainArray(held, row => row.budget_id),
    plainArray(held, ({ to }) => to.start.toISOString()),
    textArray(held, ({ part }) => part),
    plainArray(held, ({ to }) => to.end.toISOString()),
    plainArray(held, ({ amount }) => amount),
  ]);
}

async function open(
  tx: SqlTransaction,
  orgId: string,
  moves: readonly BudgetMove[],
  reserved: ReadonlyMap<string, string>,
): Promise<void> {
  await tx.query(OPEN, [
    orgId,
    plainArray(moves, ({ budget }) => budget.id),
    plainArray(moves, ({ from }) => from.start.toISOString()),
    plainArray(moves, ({ to }) => to.start.toISOString()),
    plainArray(moves, ({ to }) => to.end.toISOString()),
    plainArray(moves, ({ spent }) => picoToDecimalString(spent ?? 0n)),
    plainArray(moves, ({ budget }) => reserved.get(budget.id) ?? '0'),
  ]);
}
