import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { Ticket } from '../../tickets/ticket.entity.js';
import { ticketLine } from './incident-text.js';

/** Describes the outcomes of tickets for the answers to commands. */
@Injectable()
export class TicketOutcomes {
  constructor(private readonly database: OrgDatabase) {}

  /** The outcome of a ticket in one line; null while it is pending. */
  async of(orgId: string, ticketId: string): Promise<string | null> {
    const ticket = await this.database.transaction(orgId, em => em.findOne(Ticket, { orgId, id: ticketId }));
    if (!ticket) return 'The ticket is gone.';
    return ticket.syncState === 'created' || ticket.syncState === 'rejected' ? ticketLine(ticket) : null;
  }
}
