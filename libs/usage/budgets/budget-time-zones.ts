import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { OrganizationService, type OrganizationState } from '#access';
import { Clock } from '#core';
import { ChangeFeed, sqlOf } from '#database';
import { lockUsage } from '../usage-lock.js';
import type { OrgCalendar } from '../windows/index.js';
import { BudgetWindows } from './budget-windows.service.js';
import { BUDGETS_TOPIC, OrganizationBudgets } from './organization-budgets.js';

/** Replaces the windows of budgets when the time zone or the fiscal year changes, in the transaction of that change. */
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
      const [was, is] = [calendarOf(before), calendarOf(after)];
      if (!isDeepStrictEqual(was, is)) await this.move(em, orgId, was, is);
    });
  }

  private async move(em: EntityManager, orgId: string, before: OrgCalendar, after: OrgCalendar): Promise<void> {
    const tx = sqlOf(em);
    await lockUsage(tx, orgId);
    // Budgets change only under this lock, so the list is complete.
    const { budgets } = await this.budgets.within(tx, orgId);
    await this.windows.move(em, orgId, budgets, { before, after, at: this.clock.now() });
    await this.changes.mark(em, orgId, BUDGETS_TOPIC);
  }
}

function calendarOf({ timeZone, fiscalYearFirstMonth }: OrganizationState): OrgCalendar {
  return { timeZone, firstMonth: fiscalYearFirstMonth };
}
