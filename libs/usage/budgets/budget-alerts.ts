import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import type { BudgetData, EventOutbox, NewEvent } from '#outbox';
import type { KnownBudget } from './budget-scope.js';
import { byBytes } from '../scopes/index.js';
import type { BudgetWindow } from '../windows/index.js';

/** Change of spending and reservations in a budget's window. If both changes are zero, only the alerts are checked. */
export interface WindowChange {
  readonly budget: KnownBudget;
  readonly window: BudgetWindow;
  /** The part of a split budget. */
  readonly part: string;
  readonly spentPicodollars: bigint;
  readonly releasedPicodollars: bigint;
}

/** A budget's window; for a split budget, the window of one part. */
export type BudgetAndWindow = Pick<WindowChange, 'budget' | 'window' | 'part'>;

interface Crossing {
  budget_id: string;
  part: string;
  start_ms: string;
  end_ms: string;
  threshold: string;
  spent_usd: string;
  amount_usd: string;
}

const COLUMNS = `budget_id, part, (extract(epoch from window_start) * 1000)::bigint::text as start_ms,
  (extract(epoch from window_end) * 1000)::bigint::text as end_ms, threshold::text, spent_usd::text, amount_usd::text`;

const ADD_SPEND = `select ${COLUMNS}
from ${SCHEMA}.add_spend(
  $1, $2::uuid[], $3::timestamptz[], $4::text[], $5::timestamptz[], $6::numeric[], $7::numeric[])`;

// The check before the lock is not enough, because another transaction may have sent the alert since.
const EXCEED = `
with refusing as (
  select w.budget_id, w.window_start, w.part from ${SCHEMA}.budget_windows w
  where w.org_id = $1 and w.exceeded_at is null
    and (w.budget_id, w.window_start, w.part) in (
      select * from unnest($2::uuid[], $3::timestamptz[], $4::text[]))
  order by w.budget_id, w.window_start, w.part for no key update
), told as (
  update ${SCHEMA}.budget_windows w set exceeded_at = ${SCHEMA}.now()
  from refusing r join ${SCHEMA}.budgets b on b.org_id = $1 and b.id = r.budget_id
  where w.org_id = $1 and w.budget_id = r.budget_id and w.window_start = r.window_start and w.part = r.part
  returning w.budget_id, w.part, w.window_start, w.window_end, 1 as threshold, w.spent_usd,
    coalesce((select o.amount_usd from ${SCHEMA}.budget_overrides o where o.org_id = $1 and o.budget_id = b.id
      and o.part = w.part), b.amount_usd) as amount_usd
)
select ${COLUMNS} from told`;

// Stores each alert with its threshold and event id, for the history of the budget.
const NOTE_ALERTS = `
insert into ${SCHEMA}.budget_alerts
  (org_id, budget_id, window_start, part, event_id, threshold, amount_usd, spent_usd, sent_at)
select $1, a.* from unnest($2::uuid[], $3::timestamptz[], $4::text[], $5::uuid[], $6::numeric[], $7::numeric[],
  $8::numeric[], $9::timestamptz[]) as a`;

/**
 * Changes budget windows in a running transaction of the organization, and opens missing windows. Sends
 * `budget_warning` and `budget_exceeded` if a window reaches a threshold for the first time. Skips deleted budgets. The
 * windows stay locked until the transaction ends.
 */
export async function applySpend(
  em: EntityManager,
  outbox: EventOutbox,
  orgId: string,
  changes: readonly WindowChange[],
): Promise<void> {
  if (changes.length === 0) return;
  const merged = inLockOrder(changes);
  const crossings = await sqlOf(em).query<Crossing>(ADD_SPEND, [
    orgId,
    plainArray(merged, ({ budget }) => budget.id),
    plainArray(merged, ({ window }) => window.start.toISOString()),
    textArray(merged, ({ part }) => part),
    plainArray(merged, ({ window }) => window.end.toISOString()),
    plainArray(merged, change => `${change.spentPicodollars}e-12`),
    plainArray(merged, change => `${change.releasedPicodollars}e-12`),
  ]);
  await fireCrossings(em, outbox, orgId, merged, crossings);
}

/** Sends `budget_exceeded` for windows that refused a request, unless it was already sent. */
export async function tellExceeded(
  em: EntityManager,
  outbox: EventOutbox,
  orgId: string,
  windows: readonly BudgetAndWindow[],
): Promise<void> {
  const crossings = await sqlOf(em).query<Crossing>(EXCEED, [
    orgId,
    plainArray(windows, ({ budget }) => budget.id),
    plainArray(windows, ({ window }) => window.start.toISOString()),
    textArray(windows, ({ part }) => part),
  ]);
  await fireCrossings(em, outbox, orgId, windows, crossings);
}

async function fireCrossings(
  em: EntityManager,
  outbox: EventOutbox,
  orgId: string,
  windows: readonly BudgetAndWindow[],
  crossings: readonly Crossing[],
): Promise<void> {
  if (crossings.length === 0) return;
  const budgets = new Map(windows.map(({ budget }) => [budget.id, budget]));
  const known = crossings.filter(({ budget_id }) => budgets.has(budget_id));
  const events = known.flatMap(crossing => {
    const budget = budgets.get(crossing.budget_id);
    return budget ? [eventOf(budget, crossing)] : [];
  });
  // One event per crossing, in the order of the crossings.
  const fired = await outbox.fire(em, orgId, events);
  const sent = known.flatMap((crossing, at) => {
    const event = fired[at];
    return event ? [{ ...crossing, event }] : [];
  });
  await sqlOf(em).query(NOTE_ALERTS, [
    orgId,
    plainArray(sent, ({ budget_id }) => budget_id),
    plainArray(sent, ({ start_ms }) => new Date(Number(start_ms)).toISOString()),
    textArray(sent, ({ part }) => part),
    plainArray(sent, ({ event }) => event.id),
    plainArray(sent, ({ threshold }) => threshold),
    plainArray(sent, ({ amount_usd }) => amount_usd),
    plainArray(sent, ({ spent_usd }) => spent_usd),
    plainArray(sent, ({ event }) => event.createdAt.toISOString()),
  ]);
}

function eventOf(budget: KnownBudget, crossing: Crossing): NewEvent {
  const threshold = Number(crossing.threshold);
  const data: BudgetData = {
    budget_id: budget.id,
    scope: budget.scope,
    ...(budget.department === null ? {} : { department: budget.department }),
    ...(budget.userId === null ? {} : { user_id: budget.userId }),
    ...(budget.model === null ? {} : { model: budget.model }),
    ...(budget.match ? { match: budget.match } : {}),
    ...(budget.splitBy ? { split_by: budget.splitBy, part: crossing.part } : {}),
    window: {
      start: new Date(Number(crossing.start_ms)).toISOString(),
      end: new Date(Number(crossing.end_ms)).toISOString(),
    },
    amount_usd: Number(crossing.amount_usd),
    spent_usd: Number(crossing.spent_usd),
    threshold,
  };
  return { type: threshold < 1 ? 'budget_warning' : 'budget_exceeded', data };
}

/**
 * Merges the changes of each window. Sorts the windows by the bytes of their keys, the order in which all writers lock
 * them.
 */
function inLockOrder(changes: readonly WindowChange[]): WindowChange[] {
  const merged = new Map<string, WindowChange>();
  for (const change of changes) {
    const key = `${change.budget.id} ${change.window.start.getTime()} ${change.part}`;
    const known = merged.get(key);
    merged.set(key, known ? sumOf(known, change) : change);
  }
  return [...merged.values()].sort(byKey);
}

function sumOf(one: WindowChange, other: WindowChange): WindowChange {
  return {
    ...one,
    spentPicodollars: one.spentPicodollars + other.spentPicodollars,
    releasedPicodollars: one.releasedPicodollars + other.releasedPicodollars,
  };
}

/** The order of the windows' keys in the database. */
export function byKey(a: BudgetAndWindow, b: BudgetAndWindow): number {
  if (a.budget.id !== b.budget.id) return a.budget.id < b.budget.id ? -1 : 1;
  return a.window.start.getTime() - b.window.start.getTime() || byBytes(a.part, b.part);
}
