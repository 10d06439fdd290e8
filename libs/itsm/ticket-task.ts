import type { NewTask } from '#outbox';

/** The lane of tickets. Its keys are connector ids, and a ticket's task has the ticket's id. */
export const TICKET_LANE = 'itsm';

/** The task of a ticket that is to be created. */
export function ticketTask(ticket: { id: string; connectorId: string }): NewTask {
  return { id: ticket.id, lane: TICKET_LANE, key: ticket.connectorId, subject: {} };
}
