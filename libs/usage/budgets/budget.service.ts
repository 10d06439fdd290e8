import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, type FieldError, type JsonObject } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { lockUsage } from '../usage-lock.js';
import { windowIn } from '../windows/index.js';
import { Budget } from './budget.entity.js';
import { BudgetNotFoundError, BUDGETS_MAX, TooManyBudgetsError } from './budget.errors.js';
import { draftFaults, fixedFaults, valueFaults, type BudgetDraft } from './budget-rules.js';
import { withStatus, type ShownBudget } from './budget-statuses.js';
import { BudgetWindows, calendarOf } from './budget-windows.service.js';
import { noteFormerAmount } from './former-amounts.js';
import { BUDGETS_TOPIC } from './organization-budgets.js';

/**
 * Manages the budgets of an organization. Each change takes the organization's usage lock: changes run one after
 * another, and usage is never counted against outdated budgets. When the call returns, decisions and accounting on this
 * replica use the change. Other replicas use it within a second. Before a write, each replica checks that its cached
 * budgets are current.
 */
@Injectable()
export class BudgetService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly windows: BudgetWindows,
  ) {}

  /**
   * Creates a budget. Its current window starts with the usage so far. If that reaches 80 or 100 % of the amount, an
   * alert is sent at once.
   * @throws BadRequestError naming every invalid field
   * @throws TooManyBudgetsError if the organization has 10,000 budgets
   */
  async create(actor: Actor, draft: BudgetDraft): Promise<ShownBudget> {
    refuse(draftFaults(draft));
    await this.windows.requireSubject(actor.orgId, draft);
    return this.change(actor.orgId, em => this.createWithin(em, actor, draft));
  }

  /**
   * Creates a budget in the caller's transaction, which takes the organization's usage lock. The caller knows that the
   * user of the draft exists, and calls {@link refresh} after the commit.
   * @throws BadRequestError naming every invalid field
   * @throws TooManyBudgetsError if the organization has 10,000 budgets
   */
  async createWithin(em: EntityManager, actor: Actor, draft: BudgetDraft): Promise<ShownBudget> {
    refuse(draftFaults(draft));
    const { orgId } = actor;
    await lockUsage(sqlOf(em), orgId);
    if ((await em.count(Budget, { orgId })) >= BUDGETS_MAX) throw new TooManyBudgetsError();
    const now = this.clock.now();
    const calendar = await calendarOf(sqlOf(em), orgId);
    const { start } = windowIn(calendar, draft.period, now);
    const budget = Budget.create(orgId, newId(now), draft, start, now);
    await em.persist(budget).flush();
    await this.windows.open(em, orgId, budget.asKnown(), calendar, now);
    await this.remember(em, actor, 'created', budget.id, null, budget.audited());
    return withStatus(sqlOf(em), budget, now);
  }

  /** Makes the decisions of this replica use the committed changes of budgets and limits. */
  async refresh(orgId: string): Promise<void> {
    await this.changes.refresh(orgId);
  }

  /** @throws BudgetNotFoundError */
  async get(orgId: string, id: string): Promise<ShownBudget> {
    return this.database.transaction(orgId, async em =>
      withStatus(sqlOf(em), await existing(em, orgId, id), this.clock.now()),
    );
  }

  /**
   * Changes the supplied name, amount and enforcement. Does nothing if all values are equal. Sends an alert at once if
   * spending reaches 80 or 100 % of the new amount, unless it was sent in this window.
   * @throws BudgetNotFoundError
   * @throws BadRequestError naming every invalid field, also for another scope, subject or period
   */
  async update(actor: Actor, id: string, patch: Partial<BudgetDraft>): Promise<ShownBudget> {
    refuse(valueFaults(patch));
    const { orgId } = actor;
    return this.change(orgId, async em => {
      const budget = await existing(em, orgId, id);
      refuse(fixedFaults(budget, patch));
      const now = this.clock.now();
      const before = budget.audited();
      const { amount, amountUsd, alerts } = budget;
      if (!budget.change(patch, now)) return withStatus(sqlOf(em), budget, now);
      await em.flush();
      if (budget.amount !== amount) {
        await noteFormerAmount(sqlOf(em), orgId, { budgetId: id, amountUsd, until: budget.updatedAt });
      }
      if (budget.amount !== amount || budget.alerts !== alerts) {
        const window = windowIn(await calendarOf(sqlOf(em), orgId), budget.period, now);
        await this.windows.reconsiderParts(em, orgId, budget.asKnown(), window);
      }
      await this.remember(em, actor, 'updated', id, before, budget.audited());
      return withStatus(sqlOf(em), budget, now);
    });
  }

  /**
   * Deletes a budget with its recorded spending. Its reservations no longer have an effect.
   * @throws BudgetNotFoundError
   */
  async delete(actor: Actor, id: string): Promise<void> {
    await this.change(actor.orgId, async em => {
      const budget = await existing(em, actor.orgId, id);
      await em.remove(budget).flush();
      await this.remember(em, actor, 'deleted', id, budget.audited(), null);
    });
  }

  private async change<T>(orgId: string, work: (em: EntityManager) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(orgId, async em => {
      await lockUsage(sqlOf(em), orgId);
      return work(em);
    });
    await this.changes.refresh(orgId);
    return result;
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: 'created' | 'updated' | 'deleted',
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    await this.changes.mark(em, actor.orgId, BUDGETS_TOPIC);
    await this.audit.append(em, actor, { action: `budget.${verb}`, resourceType: 'budget', resourceId, before, after });
  }
}

async function existing(em: EntityManager, orgId: string, id: string): Promise<Budget> {
  const budget = await em.findOne(Budget, { orgId, id });
  if (!budget) throw new BudgetNotFoundError(id);
  return budget;
}

function refuse(faults: FieldError[]): void {
  if (faults.length > 0) throw BadRequestError.fields(faults);
}
