import { isDeclined } from '../adapter/ticket-change.js';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { TicketStatus } from '../adapter/ticket-state.js';

/** Platforms close and archive what was resolved long ago; then a new ticket is clearer. */
export const REOPENED_FOR_MS = 30 * 86_400_000;

/** The ticket of the incident before. */
export interface EarlierTicket {
  readonly ref: TicketRef;
  readonly status: TicketStatus | null;
  readonly resolution: string | null;
  /** Time of its last change that is known. */
  readonly changedAt: Date;
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
