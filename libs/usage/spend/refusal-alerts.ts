import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf } from '#core';
import { OrgDatabase, retryingConflicts } from '#database';
import { EventOutbox } from '#outbox';
import { tellExceeded, type BudgetAndWindow } from '../budgets/budget-alerts.js';

/**
 * Sends `budget_exceeded` when a window refuses a request while at least 80 % of its amount is spent or reserved. All
 * replicas together send it once per window.
 */
@Injectable()
export class RefusalAlerts {
  private readonly logger = new Logger('Governance');
  /** Alerts in progress. The key is the list of windows, which all requests of one statement share. */
  private readonly telling = new WeakMap<readonly BudgetAndWindow[], Promise<void>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly outbox: EventOutbox,
  ) {}

  /** Resolves when the alerts are sent. Never rejects: if sending fails, the next refusal by the window tries again. */
  tell(orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    const known = this.telling.get(windows);
    if (known) return known;
    const telling = this.commit(orgId, windows);
    this.telling.set(windows, telling);
    return telling;
  }

  /** Sends the alerts in a running transaction of the organization. */
  async tellWithin(em: EntityManager, orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    await tellExceeded(em, this.outbox, orgId, windows);
  }

  private async commit(orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    try {
      await retryingConflicts(() =>
        this.database.transaction(orgId, em => tellExceeded(em, this.outbox, orgId, windows)),
      );
    } catch (error) {
      this.logger.warn(`budget_exceeded could not be sent and is sent at the next refusal: ${messageOf(error)}`);
    }
  }
}
