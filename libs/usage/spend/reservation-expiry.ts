import { Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, retryingConflicts } from '#database';
import { Scheduler } from '#scheduler';

/**
 * Maximum number of organizations per query, and of reservations per statement. A statement locks budgets for a few
 * milliseconds.
 */
const ORGANIZATIONS = 1_000;
const BATCH = 500;

const DUE = `select org_id from ${SCHEMA}.organizations_with_expired_reservations($1)`;
const EXPIRE = `select ${SCHEMA}.expire_reservations($1, $2) as given_back`;

/**
 * Releases reservations whose usage was not reported in time. Every replica runs this twice a minute and skips rows
 * that another replica has locked.
 */
@Injectable()
export class ReservationExpiry {
  /** Releases all expired reservations. Returns their number. */
  readonly sweep: () => Promise<number>;

  constructor(
    private readonly database: OrgDatabase,
    scheduler: Scheduler,
  ) {
    this.sweep = scheduler.add({
      name: 'reservation-expiry',
      pattern: '*/30 * * * * *',
      failure: 'Expired reservations could not be released',
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
