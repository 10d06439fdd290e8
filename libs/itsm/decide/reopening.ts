import { isDeclined, type UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { afterCreate, type Standing, type Step } from './next-step.js';
import type { Progress } from './progress.js';

/** Platforms close and archive what was resolved long ago; then a new ticket is clearer. */
const REOPENED_FOR_MS = 30 * 86_400_000;

/** The ticket of the incident before. */
export interface EarlierTicket {
  readonly ref: TicketRef;
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** Time of its last change that is known. */
  readonly changedAt: Date;
  /** Tells one report of it from another. */
  readonly report: string;
  /** A change of it is under way. */
  readonly isBusy: boolean;
}

/**
 * Whether a ticket is opened for a new incident by reopening the earlier one. A ticket that people declined stays as it
 * is, and the new one names it.
 */
export function reopens({ status, resolution, changedAt }: EarlierTicket, now: Date): boolean {
  const isOver = status === 'resolved' || status === 'closed';
  if (isOver && isDeclined(resolution)) return false;
  return now.getTime() - changedAt.getTime() <= REOPENED_FOR_MS;
}

/** Nothing was created, whatever the outcome. */
const NOTHING_CREATED: Standing = { sight: 'none', unanswered: 0 };

/**
 * After an attempt to reopen the earlier ticket instead of creating one. Null: it stays as it is, and a new one is created.
 * @param earlier as it was before the attempt
 */
export function afterReopening(
  progress: Progress,
  outcome: UpdateOutcome,
  { ref, report }: EarlierTicket,
  now: Date,
): Step | null {
  switch (outcome.kind) {
    case 'updated': {
      const known = { syncState: 'created', attempted: true, reopenedAfter: report } as const;
      return { result: { ...known, ref: outcome.ref ?? ref, degraded: [] }, againAfterMs: null, progress };
    }
    case 'refused': {
      const { code, message } = outcome;
      if (code !== 'auth' && code !== 'hibernating') return null;
      return afterCreate(progress, { kind: 'rejected', code, message }, NOTHING_CREATED, now);
    }
    case 'gone':
      return null;
    case 'retryable':
      return afterCreate(progress, outcome, NOTHING_CREATED, now);
    case 'uncertain':
      // To reopen it again changes nothing.
      return afterCreate(progress, { kind: 'retryable', message: outcome.message }, NOTHING_CREATED, now);
  }
}
