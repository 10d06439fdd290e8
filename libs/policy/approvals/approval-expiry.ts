import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Clock, messageOf } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '#outbox';

const INTERVAL_MS = 60_000;
/** Approvals per statement. */
const BATCH = 1_000;

const DUE = `select org_id from ${SCHEMA}.organizations_with_expired_approvals($1, $2)`;

// What somebody decides at this moment is left to them.
const EXPIRE = `
with due as (
  select a.id from ${SCHEMA}.approvals a
  where a.org_id = $1 and a.status in ('pending', 'approved') and a.expires_at <= $2
  limit $3 for update skip locked)
update ${SCHEMA}.approvals a set status = 'expired' from due where a.org_id = $1 and a.id = due.id returning a.id`;

/**
 * Writes down which requests and grants have expired. Nothing waits for it: what is shown and decided goes by the time.
 */
@Injectable()
export class ApprovalExpiry implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<number> | undefined;
  private isStopped = false;

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    @Inject(OUTBOX_OPTIONS) private readonly options: OutboxOptions,
  ) {
    database.beforeClose(() => this.stop());
  }

  /** Looks every minute from now on, where this process does background work. */
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

  /** Writes down everything that has expired; answers how much that was. */
  sweep(): Promise<number> {
    this.running ??= this.sweepAll().finally(() => (this.running = undefined));
    return this.running;
  }

  private async sweepAll(): Promise<number> {
    const now = this.clock.now();
    let sum = 0;
    const organizations = await this.database.global<{ org_id: string }>(DUE, [now, BATCH]);
    for (const { org_id: orgId } of organizations) {
      for (let expired = BATCH; expired === BATCH && !this.isStopped; sum += expired) {
        const work = this.database.transaction(orgId, em => sqlOf(em).query(EXPIRE, [orgId, now, BATCH]));
        expired = (await work).length;
      }
    }
    return sum;
  }

  private report(error: unknown): void {
    this.logger.warn(`Expired approvals could not be written down; the next try is in a minute: ${messageOf(error)}`);
  }
}
