import type { Tags } from '#core';
import type { KnownBudget, SpendSubject } from '../budgets/budget-scope.js';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import { conditionsOf, NO_PART, partOf } from '../scopes/index.js';
import type { WindowChange } from '../budgets/budget-alerts.js';

/** The data of a usage event that budgets need. */
export interface SpendingEvent {
  readonly userId: string;
  /** The user's current department. */
  readonly department: string | null;
  readonly model: string;
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token with which the usage was reported. */
  readonly tokenId?: string | null | undefined;
  readonly occurredAt: Date;
  /** The decision that allowed the call; null if the event names none. */
  readonly decisionId: string | null;
  readonly cost: { readonly picodollars: bigint | null };
}

/** A reservation of a decision, with its windows. */
export interface HeldReservation {
  readonly picodollars: bigint;
  /** The model of the decision. */
  readonly model: string;
  /** Further attributes of the decision; null if there are none. */
  readonly about?: ReservedAbout | null;
  readonly windows: readonly { readonly budget: KnownBudget; readonly start: Date; readonly part?: string }[];
}

/** Attributes of a decision besides user and model. */
export interface ReservedAbout {
  readonly project?: string;
  readonly tags?: Tags;
  readonly token?: string;
}

/**
 * Computes the changes that events make to budget windows. The first event of a decision with a reservation counts in
 * the reserved windows, even if a window ended before the call did. Every other event counts in the windows that
 * contain its time. Windows that began before the budget's first window are skipped.
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
  return reservation.windows.map(({ budget, start, part = NO_PART }) => ({
    budget,
    part,
    // These are the reserved windows, even if the organization's time zone has changed since the reservation.
    window: { start, end: set.calendar.windowOf(budget.period, start).end },
    spentPicodollars: event.cost.picodollars ?? 0n,
    releasedPicodollars: reservation.picodollars,
  }));
}

function otherChanges(set: BudgetSet, reservation: HeldReservation | undefined, event: SpendingEvent): WindowChange[] {
  const settled = new Set(reservation?.windows.map(({ budget }) => budget.id));
  const subject = subjectOf(event, reservation);
  return set.counted.matching(subject).flatMap(budget => {
    const window = set.calendar.windowOf(budget.period, event.occurredAt);
    if (settled.has(budget.id) || window.start < budget.countsFrom) return [];
    const part = partOf(budget.splitBy, subject);
    return [{ budget, window, part, spentPicodollars: event.cost.picodollars ?? 0n, releasedPicodollars: 0n }];
  });
}

/**
 * Determines the attribution of the spending. The department, project and model are those of the decision, even if the
 * user's department or the reported model differs later. Otherwise, one call could be reserved in one department's
 * budget and counted in another's.
 */
function subjectOf(event: SpendingEvent, reservation: HeldReservation | undefined): SpendSubject {
  if (!reservation) return event;
  const { about, model } = reservation;
  return {
    userId: event.userId,
    department: departmentHeld(reservation) ?? event.department,
    model,
    project: about?.project ?? event.project,
    tags: about?.tags ?? event.tags,
    tokenId: about?.token ?? event.tokenId,
  };
}

function departmentHeld({ windows }: HeldReservation): string | undefined {
  for (const { budget, part } of windows) {
    const department = budget.splitBy === 'department' ? part : conditionsOf(budget)['department'];
    if (department) return department;
  }
  return undefined;
}
