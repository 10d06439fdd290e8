import { Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { Ticket } from '../../tickets/ticket.entity.js';
import { ticketLine } from './incident-text.js';

/** Tells what came of tickets. */
@Injectable()
export class TicketOutcomes {
  constructor(private readonly database: OrgDatabase) {}

  /** In a line; null while the platform has neither created nor refused it. */
  async of(orgId: string, ticketId: string): Promise<string | null> {
    const ticket = await this.database.transaction(orgId, em => em.findOne(Ticket, { orgId, id: ticketId }));
    if (!ticket) return 'The ticket is gone.';
    return ticket.syncState === 'created' || ticket.syncState === 'rejected' ? ticketLine(ticket) : null;
  }
}
