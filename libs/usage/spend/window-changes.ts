import type { KnownBudget, SpendSubject } from '../budgets/budget-scope.js';
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
  /** The model that was decided on. */
  readonly model: string;
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
  return set.counted.matching(subjectOf(event, reservation)).flatMap(budget => {
    const window = set.calendar.windowOf(budget.period, event.occurredAt);
    if (settled.has(budget.id) || window.start < budget.countsFrom) return [];
    return [{ budget, window, spentPicodollars: event.cost.picodollars ?? 0n, releasedPicodollars: 0n }];
  });
}

/**
 * Whose spending it is. What was decided for a department and a model stays theirs, whatever the person's department or
 * the model's name is when the usage is reported: it must not count in two budgets of a kind.
 */
function subjectOf(event: SpendingEvent, reservation: HeldReservation | undefined): SpendSubject {
  if (!reservation) return event;
  const held = reservation.windows.find(({ budget }) => budget.scope === 'department')?.budget.department;
  return { userId: event.userId, department: held ?? event.department, model: reservation.model };
}
