import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';

/** Whether rows of an audit log that are older than some days are still needed. Called in a transaction. */
export type AuditHold = (tx: SqlTransaction, orgId: string, days: number) => Promise<boolean>;

/** Keeps rows of audit logs beyond their retention, while others need them. */
@Injectable()
export class AuditHolds {
  private readonly holds: AuditHold[] = [];

  /** Adds a reason to keep rows. Call it while the module is initialized. */
  add(hold: AuditHold): void {
    this.holds.push(hold);
  }

  /** Whether there is a reason to keep rows of the organization that are older than this number of days. */
  async areHeld(tx: SqlTransaction, orgId: string, days: number): Promise<boolean> {
    for (const hold of this.holds) if (await hold(tx, orgId, days)) return true;
    return false;
  }
}
