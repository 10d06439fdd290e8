import { Injectable } from '@nestjs/common';
import type { SqlTransaction } from '#core';

/**
 * Why rows of an organization that is about to be deleted are still needed; undefined if they are not. Rows that came
 * after `until` do not count, so that a stream of new ones cannot delay the deletion for ever. Called in a transaction of
 * the organization.
 */
export type DeletionHold = (tx: SqlTransaction, orgId: string, until: Date) => Promise<string | undefined>;

/** Delays the deletion of organizations while others still need their rows. */
@Injectable()
export class DeletionHolds {
  private readonly holds: DeletionHold[] = [];

  /** Adds a reason to wait. Call it while the module is initialized. */
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
