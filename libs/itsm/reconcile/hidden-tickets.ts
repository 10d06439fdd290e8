import type { TicketState, TicketStatus } from '../adapter/ticket-state.js';

/**
 * What is noted of a ticket that its platform does not show. Platforms say the same of what was deleted and of what an
 * account may not see, so that nothing is known of its status.
 */
export const HIDDEN =
  'The platform does not show this ticket: it was deleted or moved, or the account of the connector may not see it.';

/** A ticket as it was known before the platform was asked. */
interface KnownTicket {
  readonly status: TicketStatus;
  readonly notes: string | null;
}

/** A ticket that is not shown: it stands where it stood, with a notice before its notes. */
export function hidden({ status, notes }: KnownTicket): TicketState {
  if (notes === null || isHidden(notes)) return { status, notes: notes ?? HIDDEN };
  return { status, notes: `${HIDDEN}\n\n${notes}` };
}

/**
 * A ticket that is shown. One that was hidden before loses the notice, also where nothing has changed on the platform
 * since the last report: what it says now is as good as that.
 */
export function shown({ notes: before }: KnownTicket, state: TicketState): TicketState {
  if (before === null || !isHidden(before)) return state;
  const { occurredAt: _earlier, ...said } = state;
  return { notes: before.slice(HIDDEN.length).trimStart(), ...said };
}

function isHidden(notes: string): boolean {
  return notes.startsWith(HIDDEN);
}
