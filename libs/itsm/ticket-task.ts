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

/** The queue of changes of tickets that exist. Its keys are connector ids. */
export const CHANGE_QUEUE = 'itsm-changes';

/** SQL of the id of a ticket's change task: unlike the ticket's own id, which its creation has, and derived from it. */
export function changeTaskIdSql(id: string): string {
  return `(left(${id}::text, 14) || '8' || substr(${id}::text, 16))::uuid`;
}

/** The task that looks whether the platform has to be told of something, and tells it. */
export function changeTask(ticket: { id: string; connectorId: string }, tries = 0): NewTask {
  const id = `${ticket.id.slice(0, 14)}8${ticket.id.slice(15)}`;
  return { id, queue: CHANGE_QUEUE, key: ticket.connectorId, subject: { ticket_id: ticket.id, tries } };
}
