import { isDeclined, type UpdateOutcome } from '../adapter/ticket-change.js';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { afterCreate, type Standing, type Step } from './next-step.js';
import { notAfter } from './platform-time.js';
import type { Progress } from './progress.js';

/**
 * Maximum age of a ticket that is reopened. Older tickets may be archived, and people no longer expect news in them, so
 * a new ticket is opened.
 */
const REOPENED_FOR_MS = 30 * 86_400_000;

/** The ticket of the previous incident with the same key. */
export interface EarlierTicket {
  readonly ref: TicketRef;
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** Time of the ticket's last known change. */
  readonly changedAt: Date;
  /** Identifies the last report about the ticket. */
  readonly report: string;
  /** Whether a change of the ticket is in progress. */
  readonly isBusy: boolean;
}

/**
 * Whether a new incident reopens the earlier ticket instead of opening a new one. A ticket that people declined stays
 * as it is, and the new ticket refers to it.
 */
export function reopens({ status, resolution, changedAt }: EarlierTicket, now: Date): boolean {
  const isOver = status === 'resolved' || status === 'closed';
  if (isOver && isDeclined(resolution)) return false;
  return now.getTime() - changedAt.getTime() <= REOPENED_FOR_MS;
}

/** A reopening never creates a ticket, so no ticket can be in doubt. */
const NOTHING_CREATED: Standing = { findByKey: 'none', unanswered: 0 };

/**
 * The step after an attempt to reopen the earlier ticket. Null if the earlier ticket stays as it is and a new ticket is
 * created.
 * @param earlier the state of the earlier ticket before the attempt
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
      const at = outcome.occurredAt && { reopenedAt: notAfter(now, outcome.occurredAt) };
      return { result: { ...known, ...at, ref: outcome.ref ?? ref, degraded: [] }, againAfterMs: null, progress };
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
      // A reopening can be repeated without a second effect.
      return afterCreate(progress, { kind: 'retryable', message: outcome.message }, NOTHING_CREATED, now);
  }
}
