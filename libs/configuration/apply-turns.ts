import { Injectable } from '@nestjs/common';
import { OrgDatabase, sqlOf } from '#database';
import { ConfigurationBusyError } from './configuration.errors.js';

const TRY_LOCK = `
select pg_try_advisory_xact_lock(hashtextextended('governance.configuration:' || $1, 0)) as locked`;

/**
 * Ensures that one document at a time is applied to an organization. Otherwise two documents could create the same
 * object twice.
 */
@Injectable()
export class ApplyTurns {
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly database: OrgDatabase) {}

  /**
   * Runs work while no other replica applies a document to the organization. Each process applies one document at a
   * time, because the lock needs a database connection in addition to those of the work.
   * @throws ConfigurationBusyError while another replica applies a document
   */
  take<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    const turn = this.last.then(() => this.locked(orgId, work));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  private locked<T>(orgId: string, work: () => Promise<T>): Promise<T> {
    // The lock ends with its transaction, even if the process dies.
    return this.database.transaction(orgId, async em => {
      const [row] = await sqlOf(em).query<{ locked: boolean }>(TRY_LOCK, [orgId]);
      if (row?.locked !== true) throw new ConfigurationBusyError();
      return work();
    });
  }
}
