import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OrganizationService } from '#access';
import { Clock } from '#core';
import { ChangeFeed, sqlOf } from '#database';
import { takeTurn } from '../ingest/usage-ledger.js';
import { BudgetWindows } from './budget-windows.service.js';
import { BUDGETS_TOPIC, OrganizationBudgets } from './organization-budgets.js';

/** Has budgets go on in the windows of another time zone, in the transaction in which an organization takes it. */
@Injectable()
export class BudgetTimeZones implements OnModuleInit {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly budgets: OrganizationBudgets,
    private readonly windows: BudgetWindows,
    private readonly changes: ChangeFeed,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.organizations.onUpdate(async (em, orgId, before, after) => {
      if (before.timeZone !== after.timeZone) await this.move(em, orgId, before.timeZone, after.timeZone);
    });
  }

  private async move(em: EntityManager, orgId: string, before: string, after: string): Promise<void> {
    const tx = sqlOf(em);
    await takeTurn(tx, orgId);
    // Budgets change only in this turn, so these are all.
    const { budgets } = await this.budgets.within(tx, orgId);
    await this.windows.move(em, orgId, budgets, { before, after, at: this.clock.now() });
    await this.changes.mark(em, orgId, BUDGETS_TOPIC);
  }
}
