import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, UserDirectory, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { draftFaults, type BudgetDraft } from '../budgets/budget-rules.js';
import { CreateBudgetDto, draftOf } from '../budgets/budget.dto.js';
import { Budget } from '../budgets/budget.entity.js';
import { BudgetService } from '../budgets/budget.service.js';
import { namesOf, scopeFields, userIdsIn, withUserIds, type NameOf } from './user-names.js';

const START = new Date(0);

/** Budgets in configuration files. */
@Injectable()
export class BudgetConfiguration extends ConfigurationKind {
  override readonly kind = 'budgets';
  override readonly rank = 40;
  override readonly reads = ['budgets:read', 'users:read'] as const;
  override readonly writes = 'budgets:write';
  override readonly fixed = ['scope', 'department', 'user', 'model', 'split_by', 'period'];

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly budgets: BudgetService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const budgets = await this.database.snapshot(orgId, em => em.find(Budget, { orgId }));
    const nameOf = await namesOf(this.users, orgId, userIdsIn(budgets));
    return budgets.map(budget => ({ id: budget.id, name: budget.name, fields: fieldsOf(budget, nameOf) }));
  }

  override async read(orgId: string, entry: unknown): Promise<WantedObject> {
    const draft = await this.draft(orgId, entry);
    const faults = draftFaults(draft);
    if (faults.length > 0) throw BadRequestError.fields(faults);
    const budget = Budget.create(orgId, '', draft, START, START);
    const nameOf = await namesOf(this.users, orgId, userIdsIn([budget]));
    return { name: budget.name, fields: fieldsOf(budget, nameOf) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    await this.budgets.create(actor, await this.draft(actor.orgId, fields));
  }

  override async update(actor: Actor, id: string, { fields }: WantedObject): Promise<void> {
    const { name, amountUsd, enforcement, alerts } = await this.draft(actor.orgId, fields);
    await this.budgets.update(actor, id, { name, amountUsd, enforcement, alerts: alerts ?? null });
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.budgets.delete(actor, id);
  }

  private async draft(orgId: string, entry: unknown): Promise<BudgetDraft> {
    return draftOf(readInput(CreateBudgetDto, await withUserIds(this.users, orgId, entry), 'body'));
  }
}

function fieldsOf(budget: Budget, nameOf: NameOf): JsonObject {
  const { name, splitBy, alerts, amountUsd, period, enforcement } = budget;
  return {
    name,
    ...scopeFields(budget, nameOf),
    split_by: splitBy,
    alert_thresholds: alerts?.map(Number) ?? null,
    amount_usd: Number(amountUsd),
    period,
    enforcement,
  };
}
