import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Scheduler } from '#scheduler';
import { ACCESS_OPTIONS, type AccessOptions } from '../access.options.js';
import { operatorActor } from '../principals/operator-actor.js';
import { AuditHolds } from './audit-holds.js';
import { AuditLog } from './audit-log.port.js';
import { PRUNED } from './audit-pruning.js';

const ORGANIZATIONS = 500;
/** Rows per transaction. Changes in the organization wait until the transaction ends. */
const PIECE = 5_000;

const OLD = `select org_id::text from ${SCHEMA}.old_audit_logs($1, $2, $3)`;
const LOCK = `select 1 from ${SCHEMA}.audit_heads where org_id = $1 for update`;
const PRUNE = `select seq, hash, rows::float8 as rows from ${SCHEMA}.prune_audit_log($1, $2)`;

/**
 * Prunes audit logs once an hour. Each transaction deletes the oldest rows and appends an entry that names the last
 * deleted row. With this entry, the rest of the chain can still be checked.
 */
@Injectable()
export class AuditRetention {
  /** Prunes all logs; returns the number of deleted rows. */
  readonly prune: () => Promise<number>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly holds: AuditHolds,
    @Inject(ACCESS_OPTIONS) { auditRetentionDays }: AccessOptions,
    scheduler: Scheduler,
  ) {
    this.prune = scheduler.add({
      name: 'audit-retention',
      pattern: '40 20 * * * *',
      failure: 'Old rows of audit logs could not be deleted',
      round: () => (auditRetentionDays === undefined ? Promise.resolve(0) : this.round(auditRetentionDays)),
    });
  }

  private async round(days: number): Promise<number> {
    let sum = 0;
    for (let after: string | null = null; ;) {
      const found: { org_id: string }[] = await this.database.global(OLD, [days, after, ORGANIZATIONS]);
      for (const { org_id: orgId } of found) {
        for (let rows = PIECE; rows >= PIECE; sum += rows) rows = await this.piece(orgId, days);
      }
      after = found.at(-1)?.org_id ?? null;
      if (found.length < ORGANIZATIONS) return sum;
    }
  }

  private piece(orgId: string, days: number): Promise<number> {
    return this.database.transaction(orgId, async em => {
      // Locks the head, because the new entry follows the current last row.
      await sqlOf(em).query(LOCK, [orgId]);
      if (await this.holds.areHeld(sqlOf(em), orgId, days)) return 0;
      const [last] = await sqlOf(em).query<{ seq: number; hash: Buffer; rows: number }>(PRUNE, [days, PIECE]);
      if (!last) return 0;
      await this.audit.append(em, operatorActor(orgId, 'retention'), {
        action: PRUNED,
        resourceType: 'audit_log',
        resourceId: orgId,
        before: null,
        after: { seq: last.seq, hash: last.hash.toString('hex'), rows: last.rows },
      });
      return last.rows;
    });
  }
}
