import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '#outbox';
import { retryingConflicts } from '../ingest/retry.js';

const INTERVAL_MS = 30_000;
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
export class ReservationExpiry implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<number> | undefined;
  private isStopped = false;

  constructor(
    private readonly database: OrgDatabase,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
  ) {
    database.beforeClose(() => this.stop());
  }

  /** Looks every 30 seconds from now on, where this process does background work. */
  onApplicationBootstrap(): void {
    if (this.options.workers === false) return;
    this.timer = setInterval(() => void this.sweep().catch(error => this.report(error)), INTERVAL_MS).unref();
  }

  /** Ends it; waits for what is under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running?.catch(() => undefined);
  }

  /** Gives back everything that has expired; answers how many reservations there were. */
  sweep(): Promise<number> {
    this.running ??= this.sweepAll().finally(() => (this.running = undefined));
    return this.running;
  }

  private async sweepAll(): Promise<number> {
    let sum = 0;
    const organizations = await this.database.global<{ org_id: string }>(DUE, [ORGANIZATIONS]);
    for (const { org_id: orgId } of organizations) {
      for (let given = BATCH; given === BATCH && !this.isStopped; sum += given) given = await this.expire(orgId);
    }
    return sum;
  }

  private async expire(orgId: string): Promise<number> {
    const [row] = await retryingConflicts(() => this.database.global<{ given_back: number }>(EXPIRE, [orgId, BATCH]));
    return row?.given_back ?? 0;
  }

  private report(error: unknown): void {
    this.logger.warn(`Expired reservations could not be given back; the next try is in 30 s: ${messageOf(error)}`);
  }
}
