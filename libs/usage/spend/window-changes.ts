import type { Tags } from '#core';
import type { KnownBudget, SpendSubject } from '../budgets/budget-scope.js';
import type { BudgetSet } from '../budgets/organization-budgets.js';
import { conditionsOf, NO_PART, partOf } from '../scopes/index.js';
import type { WindowChange } from '../budgets/budget-alerts.js';

/** A usage event as budgets see it. */
export interface SpendingEvent {
  readonly userId: string;
  /** The person's department now. */
  readonly department: string | null;
  readonly model: string;
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
  /** The access token with which it was reported. */
  readonly tokenId?: string | null | undefined;
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
  /** What else the decision was about; null where it named nothing. */
  readonly about?: ReservedAbout | null;
  readonly windows: readonly { readonly budget: KnownBudget; readonly start: Date; readonly part?: string }[];
}

/** What a decision named beside the person and the model. */
export interface ReservedAbout {
  readonly project?: string;
  readonly tags?: Tags;
  readonly token?: string;
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
  return reservation.windows.map(({ budget, start, part = NO_PART }) => ({
    budget,
    part,
    // Where it is held, whatever the organization's time zone has become since.
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
 * Whose spending it is. What was decided for a department, a project and a model stays theirs, whatever the person's
 * department or the model's name is when the usage is reported: it must not count in two budgets of a kind.
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
