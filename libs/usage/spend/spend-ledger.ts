import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { EventOutbox } from '#outbox';
import type { KnownBudget } from '../budgets/budget-scope.js';
import { OrganizationBudgets } from '../budgets/organization-budgets.js';
import { LimitGuard } from '../limits/limit-guard.js';
import { usdToPico } from '../prices/index.js';
import { NO_PART } from '../scopes/index.js';
import { applySpend } from '../budgets/budget-alerts.js';
import { windowChanges, type HeldReservation, type ReservedAbout, type SpendingEvent } from './window-changes.js';

interface SettledRow {
  id: string;
  amount_usd: string;
  model: string;
  about: ReservedAbout | null;
  parts: string[] | null;
  budget_ids: string[];
  starts_ms: string[];
}

// The windows are in the order of their keys, like in every transaction that locks several windows.
const SETTLE = `
with held as (
  select r.id from ${SCHEMA}.reservations r where r.org_id = $1 and r.id = any($2::uuid[]) order by r.id for update
)
delete from ${SCHEMA}.reservations r using held where r.org_id = $1 and r.id = held.id
returning r.id, r.amount_usd::text, r.model, r.about, r.parts, r.budget_ids::text[],
  array(select (extract(epoch from s) * 1000)::bigint::text from unnest(r.window_starts) s) as starts_ms`;

/**
 * Counts usage against budgets, and settles the reservations of its decisions, in the transaction that stores the
 * usage.
 */
@Injectable()
export class SpendLedger {
  constructor(
    private readonly budgets: OrganizationBudgets,
    private readonly outbox: EventOutbox,
    private readonly limits: LimitGuard,
  ) {}

  /**
   * Counts newly stored events. Each event must be passed only once. The transaction must hold the organization's usage
   * lock, so that no other transaction creates or changes a budget meanwhile.
   */
  async count(em: EntityManager, orgId: string, events: readonly SpendingEvent[]): Promise<void> {
    if (events.length === 0) return;
    const tx = sqlOf(em);
    const set = await this.budgets.within(tx, orgId);
    const decisions = events.flatMap(({ decisionId }) => (decisionId === null ? [] : [decisionId]));
    if (decisions.length > 0) this.limits.ended(orgId, decisions);
    const held = await settle(tx, orgId, events, set.budgets);
    if (set.budgets.length === 0) return;
    await applySpend(em, this.outbox, orgId, windowChanges(set, held, events));
  }
}

/** Deletes the reservations of the events' decisions. Only the transaction that deletes a reservation settles it. */
async function settle(
  tx: SqlTransaction,
  orgId: string,
  events: readonly SpendingEvent[],
  budgets: readonly KnownBudget[],
): Promise<Map<string, HeldReservation>> {
  const decisions = new Set(events.map(event => event.decisionId).filter(id => id !== null));
  if (decisions.size === 0) return new Map();
  const rows = await tx.query<SettledRow>(SETTLE, [orgId, plainArray([...decisions], id => id)]);
  const known = new Map(budgets.map(budget => [budget.id, budget]));
  return new Map(rows.map(row => [row.id, reservationOf(row, known)]));
}

/** Reservations hold nothing in deleted budgets. */
function reservationOf(row: SettledRow, known: ReadonlyMap<string, KnownBudget>): HeldReservation {
  const windows = row.budget_ids.flatMap((id, at) => {
    const budget = known.get(id);
    return budget ? [{ budget, start: new Date(Number(row.starts_ms[at])), part: row.parts?.[at] ?? NO_PART }] : [];
  });
  const { model, about } = row;
  return { picodollars: usdToPico(row.amount_usd) ?? 0n, model, about, windows };
}
