import { BadRequestError, ConflictError, NotFoundError } from '#core';
import type { Ticket } from './ticket.entity.js';

/** The organization has no ticket with this id. */
export class TicketNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no ticket ${id} in your organization.`);
  }
}

/** The incident already has a ticket of this connector. */
export class TicketExistsError extends ConflictError {
  constructor(readonly ticket: Pick<Ticket, 'id' | 'externalTicketId'>) {
    const shown = ticket.externalTicketId === null ? 'not created yet' : ticket.externalTicketId;
    super(`The incident already has a ticket of this connector: ${ticket.id} (${shown}).`);
  }
}

/** Several connectors are active, and the request does not name one. */
export class ConnectorUnnamedError extends BadRequestError {
  constructor(names: readonly string[]) {
    const message = `is required if several connectors are active: ${names.join(', ')}`;
    super(`connector_id: ${message}`, [{ field: 'connector_id', message }]);
  }
}
