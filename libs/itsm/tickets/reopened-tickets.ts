import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Watcher that is called in the transaction that stores a report of tickets that people reopened, or that were hidden
 * before.
 */
export interface ReopenedTicketWatcher {
  /** It must not throw because of external input: the report could then not be stored. */
  reopened(em: EntityManager, orgId: string, ticketIds: readonly string[]): Promise<void>;
}

/** Notifies watchers of tickets that people reopened on the platform, or that the platform shows again. */
@Injectable()
export class ReopenedTickets {
  private readonly watchers: ReopenedTicketWatcher[] = [];

  /** Call it during module initialization. */
  addWatcher(watcher: ReopenedTicketWatcher): void {
    this.watchers.push(watcher);
  }

  /** Notifies all watchers. */
  async tell(em: EntityManager, orgId: string, ticketIds: readonly string[]): Promise<void> {
    for (const watcher of this.watchers) await watcher.reopened(em, orgId, ticketIds);
  }
}
