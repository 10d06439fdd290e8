import type { NewTask } from '#outbox';

/** The queue of tickets. Its keys are connector ids, and a ticket's task has the ticket's id. */
export const TICKET_QUEUE = 'itsm';

/** SQL of what is said of a ticket whose connector was removed; `table`: the name of the ticket's row. */
export function removalOf(table: string): string {
  return (
    `case when ${table}.unanswered > 0
    then 'The connector was removed before the platform confirmed the ` +
    `ticket; look for it on the platform.'
    else 'The connector was removed before the ticket was created.' end`
  );
}

/** The task of a ticket that is to be created. */
export function ticketTask(ticket: { id: string; connectorId: string }): NewTask {
  return { id: ticket.id, queue: TICKET_QUEUE, key: ticket.connectorId, subject: {} };
}
