import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A ticket that the platform has just confirmed. */
export interface CreatedTicket {
  readonly id: string;
  readonly connectorId: string;
  readonly externalTicketId: string;
}

/** Watcher that is called in the transaction in which tickets become `created`. */
export interface NewTicketWatcher {
  /** It must not throw because of external input: the outcome of the tickets could then not be stored. */
  created(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void>;
}

/** Notifies watchers of new tickets, so that parked reports can be applied. */
@Injectable()
export class NewTickets {
  private readonly watchers: NewTicketWatcher[] = [];

  /** Adds a watcher. Call this method during module initialization. */
  addWatcher(watcher: NewTicketWatcher): void {
    this.watchers.push(watcher);
  }

  /** Notifies all watchers. */
  async tell(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void> {
    if (tickets.length > 0) for (const watcher of this.watchers) await watcher.created(em, orgId, tickets);
  }
}
