import type { TicketRef } from './create-outcome.js';

/** Statuses of a ticket (interface specification, section 3.4). */
export const TICKET_STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const;

/** Status of a ticket, common to all platforms. */
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** A ticket's status, with further data of the platform. */
export interface TicketState {
  readonly status: TicketStatus;
  readonly resolution?: string;
  readonly notes?: string;
  /** An e-mail address or a user name of the platform. */
  readonly updatedBy?: string;
  /** Time of the change on the platform. Used to ignore outdated states. */
  readonly occurredAt?: Date;
  /** The new id of the ticket, if the platform renamed it. */
  readonly movedTo?: TicketRef;
}

/** A change that a platform reports. */
export interface InboundUpdate extends Omit<TicketState, 'movedTo'> {
  readonly externalTicketId: string;
  /** The platform's own id of the ticket; identifies a renamed ticket. */
  readonly platformId?: string;
  /** The platform's own id of this report, used to detect duplicates. */
  readonly eventId?: string;
}
