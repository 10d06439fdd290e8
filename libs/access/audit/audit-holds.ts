import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';

/** Whether an audit log still needs its rows that are older than the given number of days. Called in a transaction. */
export type AuditHold = (tx: SqlTransaction, orgId: string, days: number) => Promise<boolean>;

/** Delays the pruning of audit logs while their rows are needed. */
@Injectable()
export class AuditHolds {
  private readonly holds: AuditHold[] = [];

  /** Adds a reason to keep rows. Call it during module initialization. */
  add(hold: AuditHold): void {
    this.holds.push(hold);
  }

  /** Whether a hold needs rows that are older than the given number of days. */
  async areHeld(tx: SqlTransaction, orgId: string, days: number): Promise<boolean> {
    for (const hold of this.holds) if (await hold(tx, orgId, days)) return true;
    return false;
  }
}
