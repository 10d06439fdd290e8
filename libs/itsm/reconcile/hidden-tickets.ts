import type { TicketState, TicketStatus } from '../adapter/ticket-state.js';

/**
 * Notice about a ticket that its platform does not show. Platforms give the same answer for a deleted ticket and for
 * one that the account may not see, so the status is unknown.
 */
export const HIDDEN =
  'The platform does not show this ticket: it was deleted or moved, or the account of the connector may not see it.';

/** The stored state of a ticket before the poll. */
interface KnownTicket {
  readonly status: TicketStatus;
  readonly notes: string | null;
}

/** State of a hidden ticket. The status stays, and a notice is added before the notes. */
export function hidden({ status, notes }: KnownTicket): TicketState {
  if (notes === null || isHidden(notes)) return { status, notes: notes ?? HIDDEN };
  return { status, notes: `${HIDDEN}\n\n${notes}` };
}

/**
 * State of a visible ticket. If the ticket was hidden before, the notice is removed, even if the platform does not
 * report a newer change.
 */
export function shown({ notes: before }: KnownTicket, state: TicketState): TicketState {
  if (before === null || !isHidden(before)) return state;
  const { occurredAt: _earlier, ...said } = state;
  return { notes: before.slice(HIDDEN.length).trimStart(), ...said };
}

function isHidden(notes: string): boolean {
  return notes.startsWith(HIDDEN);
}
