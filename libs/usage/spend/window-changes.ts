import type { KnownBudget } from '../budgets/budget-scope.js';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import type { WindowChange } from './budget-alerts.js';

/** A usage event as budgets see it. */
export interface SpendingEvent {
  readonly userId: string;
  /** The person's department now. */
  readonly department: string | null;
  readonly model: string;
  readonly occurredAt: Date;
  /** The decision that allowed the call; null where the event names none. */
  readonly decisionId: string | null;
  readonly cost: { readonly picodollars: bigint | null };
}

/** What was held for a decision, and where. */
export interface HeldReservation {
  readonly picodollars: bigint;
  readonly windows: readonly { readonly budget: KnownBudget; readonly start: Date }[];
}

/**
 * What events change in the windows of budgets. The first event of a decision for which money is held counts where it
 * is held, even if the call ended after the window did. Otherwise an event counts in the windows of the time when it
 * happened, except in those that began before the budget counts.
 */
export function windowChanges(
  set: BudgetSet,
  held: ReadonlyMap<string, HeldReservation>,
  events: readonly SpendingEvent[],
): WindowChange[] {
  const changes: WindowChange[] = [];
  const left = new Map(held);
  for (const event of events) {
    const reservation = event.decisionId === null ? undefined : left.get(event.decisionId);
    if (reservation && event.decisionId !== null) left.delete(event.decisionId);
    changes.push(...settledChanges(set, reservation, event), ...otherChanges(set, reservation, event));
  }
  return changes;
}

function settledChanges(
  set: BudgetSet,
  reservation: HeldReservation | undefined,
  event: SpendingEvent,
): WindowChange[] {
  if (!reservation) return [];
  return reservation.windows.map(({ budget, start }) => ({
    budget,
    // Where it is held, whatever the organization's time zone has become since.
    window: { start, end: set.calendar.windowOf(budget.period, start).end },
    spentPicodollars: event.cost.picodollars ?? 0n,
    releasedPicodollars: reservation.picodollars,
  }));
}

function otherChanges(set: BudgetSet, reservation: HeldReservation | undefined, event: SpendingEvent): WindowChange[] {
  const settled = new Set(reservation?.windows.map(({ budget }) => budget.id));
  return set.counted.matching(event).flatMap(budget => {
    const window = set.calendar.windowOf(budget.period, event.occurredAt);
    if (settled.has(budget.id) || window.start < budget.countsFrom) return [];
    return [{ budget, window, spentPicodollars: event.cost.picodollars ?? 0n, releasedPicodollars: 0n }];
  });
}
