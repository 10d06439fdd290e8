import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A ticket of which the platform has just said that it is there. */
export interface CreatedTicket {
  readonly id: string;
  readonly connectorId: string;
  readonly externalTicketId: string;
}

/** Told of tickets in the transaction in which they become `created`. */
export interface NewTicketWatcher {
  /** Must not throw for what an outside sent: the tickets would not be settled. */
  created(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void>;
}

/** Tells of tickets that were created: what was said of them before can be taken in now. */
@Injectable()
export class NewTickets {
  private readonly watchers: NewTicketWatcher[] = [];

  /** To be called while the module is initialised. */
  addWatcher(watcher: NewTicketWatcher): void {
    this.watchers.push(watcher);
  }

  /** Tells all watchers. */
  async tell(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void> {
    if (tickets.length > 0) for (const watcher of this.watchers) await watcher.created(em, orgId, tickets);
  }
}
