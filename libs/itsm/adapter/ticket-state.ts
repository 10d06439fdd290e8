import type { TicketRef } from './create-outcome.js';

/** Where a ticket can stand (interface specification, section 3.4). */
export const TICKET_STATUSES = ['open', 'in_progress', 'resolved', 'closed'] as const;

/** Where a ticket stands, in the words that all platforms share. */
export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** A ticket's status and what the platform says with it. */
export interface TicketState {
  readonly status: TicketStatus;
  readonly resolution?: string;
  readonly notes?: string;
  /** An e-mail address or a user name of the platform. */
  readonly updatedBy?: string;
  /** When it changed there; states that come late are told by it. */
  readonly occurredAt?: Date;
  /** What the ticket is called now, where the platform has given it another name. */
  readonly movedTo?: TicketRef;
}

/** A change that a platform reports. */
export interface InboundUpdate extends Omit<TicketState, 'movedTo'> {
  readonly externalTicketId: string;
  /** The platform's own id of the ticket: by it a ticket is known that has another name since. */
  readonly platformId?: string;
  /** The platform's own id of this report, against duplicates. */
  readonly eventId?: string;
}
