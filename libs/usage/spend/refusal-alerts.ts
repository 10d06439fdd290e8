import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { messageOf } from '#core';
import { OrgDatabase, retryingConflicts } from '#database';
import { EventOutbox } from '#outbox';
import { tellExceeded, type BudgetAndWindow } from '../budgets/budget-alerts.js';

/** Fires `budget_exceeded` for windows that refuse their first request, once per window on all replicas. */
@Injectable()
export class RefusalAlerts {
  private readonly logger = new Logger('Governance');
  /** What is being told, by the list that all requests of one statement share. */
  private readonly telling = new WeakMap<readonly BudgetAndWindow[], Promise<void>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly outbox: EventOutbox,
  ) {}

  /** Resolves when it is told. Never rejects: the window's next refusal tries again. */
  tell(orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    const known = this.telling.get(windows);
    if (known) return known;
    const telling = this.commit(orgId, windows);
    this.telling.set(windows, telling);
    return telling;
  }

  /** The same in a running transaction of the organization. */
  async tellWithin(em: EntityManager, orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    await tellExceeded(em, this.outbox, orgId, windows);
  }

  private async commit(orgId: string, windows: readonly BudgetAndWindow[]): Promise<void> {
    try {
      await retryingConflicts(() =>
        this.database.transaction(orgId, em => tellExceeded(em, this.outbox, orgId, windows)),
      );
    } catch (error) {
      this.logger.warn(`That budgets are exceeded is told at their next refusal: ${messageOf(error)}`);
    }
  }
}
