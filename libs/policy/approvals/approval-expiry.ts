import { Injectable } from '@nestjs/common';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { ApprovalHistory } from './approval-history.js';
import { Approval } from './approval.entity.js';

/** Maximum number of organizations per query. */
const BATCH = 1_000;
/**
 * Maximum number of approvals per transaction. The audit log of the organization is locked until the transaction ends.
 */
const PIECE = 100;

const DUE = `select org_id from ${SCHEMA}.organizations_with_expired_approvals($1, $2)`;

// Skips rows that an approver is deciding at the moment.
const EXPIRE = `
with due as (
  select a.id from ${SCHEMA}.approvals a
  where a.org_id = $1 and a.status in ('pending', 'approved') and a.expires_at <= $2
  limit $3 for update skip locked)
update ${SCHEMA}.approvals a set status = 'expired' from due where a.org_id = $1 and a.id = due.id returning a.*`;

/**
 * Marks expired requests and grants as expired. The mark is only informative: reads and decisions compare the end with
 * the clock.
 */
@Injectable()
export class ApprovalExpiry {
  /** Marks all expired approvals. Returns their number. */
  readonly sweep: () => Promise<number>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly history: ApprovalHistory,
    scheduler: Scheduler,
  ) {
    this.sweep = scheduler.add({
      name: 'approval-expiry',
      pattern: '0 * * * * *',
      failure: 'Expired approvals could not be recorded',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    const now = this.clock.now();
    let sum = 0;
    for (const { org_id: orgId } of await this.database.global<{ org_id: string }>(DUE, [now, BATCH])) {
      for (let expired = PIECE; expired === PIECE; sum += expired) expired = await this.expire(orgId, now);
    }
    return sum;
  }

  private expire(orgId: string, now: Date): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const rows = await sqlOf(em).query<Record<string, unknown>>(EXPIRE, [orgId, now, PIECE]);
      const approvals = rows.map(row => em.map(Approval, row));
      await this.history.expired(em, orgId, approvals);
      return approvals.length;
    });
  }
}
