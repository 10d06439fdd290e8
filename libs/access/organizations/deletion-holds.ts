import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';

/**
 * The reason why rows of an organization are still needed before its deletion; undefined if they are not needed. Ignore
 * rows newer than `until`, so that new rows cannot delay the deletion forever. Called in a transaction of the
 * organization.
 */
export type DeletionHold = (tx: SqlTransaction, orgId: string, until: Date) => Promise<string | undefined>;

/** Delays the deletion of organizations while their rows are needed. */
@Injectable()
export class DeletionHolds {
  private readonly holds: DeletionHold[] = [];

  /** Adds a reason to wait. Call it during module initialization. */
  add(hold: DeletionHold): void {
    this.holds.push(hold);
  }

  /** The first reason to wait; undefined if there is none. */
  async reason(tx: SqlTransaction, orgId: string, until: Date): Promise<string | undefined> {
    for (const hold of this.holds) {
      const reason = await hold(tx, orgId, until);
      if (reason !== undefined) return reason;
    }
    return undefined;
  }
}
