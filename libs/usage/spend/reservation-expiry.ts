import { Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, retryingConflicts } from '#database';
import { Scheduler } from '#scheduler';

/** Organizations per look, and reservations per statement: a statement locks budgets for some milliseconds at most. */
const ORGANIZATIONS = 1_000;
const BATCH = 500;

const DUE = `select org_id from ${SCHEMA}.organizations_with_expired_reservations($1)`;
const EXPIRE = `select ${SCHEMA}.expire_reservations($1, $2) as given_back`;

/**
 * Gives back what decisions hold of budgets when no usage was reported in time. Every replica looks twice a minute; what
 * one has in hand the others pass over.
 */
@Injectable()
export class ReservationExpiry {
  /** Gives back everything that has expired; answers how many reservations there were. */
  readonly sweep: () => Promise<number>;

  constructor(
    private readonly database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    this.sweep = scheduler.add({
      name: 'reservation-expiry',
      pattern: '*/30 * * * * *',
      failure: 'Expired reservations could not be given back',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    let sum = 0;
    for (const { org_id: orgId } of await this.database.global<{ org_id: string }>(DUE, [ORGANIZATIONS])) {
      sum += await this.expire(orgId);
    }
    return sum;
  }

  private async expire(orgId: string): Promise<number> {
    const [row] = await retryingConflicts(() => this.database.global<{ given_back: number }>(EXPIRE, [orgId, BATCH]));
    return row?.given_back ?? 0;
  }
}
