import type { TicketRef } from './create-outcome.js';

/** Statuses of a ticket (interface specification, section 3.4). */
export const TICKET_STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const;

/** Status of a ticket, common to all platforms. */
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** A ticket's status, with further data from the platform. */
export interface TicketState {
  readonly status: TicketStatus;
  readonly resolution?: string;
  readonly notes?: string;
  /** The person who made the change: an e-mail address, or a user name of the platform. */
  readonly updatedBy?: string;
  /** Time of the change on the platform. It is used to ignore outdated states. */
  readonly occurredAt?: Date;
  /** The new id of the ticket, if the platform renamed it. */
  readonly movedTo?: TicketRef;
}

/** A change that a platform reports. */
export interface InboundUpdate extends Omit<TicketState, 'movedTo'> {
  readonly externalTicketId: string;
  /** The platform's internal id of the ticket, with which a renamed ticket is recognized. */
  readonly platformId?: string;
  /** The platform's id of this report, with which duplicates are recognized. */
  readonly eventId?: string;
}
