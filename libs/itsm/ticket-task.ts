import type { NewTask } from '#outbox';

/** Queue of tickets to create. The id of a task is the id of its ticket, and the key is the id of the connector. */
export const TICKET_QUEUE = 'itsm';

/** SQL of the error message of a ticket whose connector was deleted. `table` is the alias of the ticket's row. */
export function removalOf(table: string): string {
  return (
    `case when ${table}.unanswered > 0
    then 'The connector was removed before the platform confirmed the ` +
    `ticket; look for it on the platform.'
    else 'The connector was removed before the ticket was created.' end`
  );
}

/** The task that creates a ticket. */
export function ticketTask(ticket: { id: string; connectorId: string }): NewTask {
  return { id: ticket.id, queue: TICKET_QUEUE, key: ticket.connectorId, payload: {} };
}

/** Queue of changes to existing tickets. The key of a task is the connector's id. */
export const CHANGE_QUEUE = 'itsm-changes';

/**
 * SQL of the id of a ticket's change task. The id is derived from the ticket's id, which the task that creates the
 * ticket already uses.
 */
export function changeTaskIdSql(id: string): string {
  return `(left(${id}::text, 14) || '8' || substr(${id}::text, 16))::uuid`;
}

/** The task that checks whether the platform needs an update of a ticket, and sends the update. */
export function changeTask(ticket: { id: string; connectorId: string }, tries = 0): NewTask {
  const id = `${ticket.id.slice(0, 14)}8${ticket.id.slice(15)}`;
  return { id, queue: CHANGE_QUEUE, key: ticket.connectorId, payload: { ticket_id: ticket.id, tries } };
}
