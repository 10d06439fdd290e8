import { Injectable } from '@nestjs/common';
import { readInput, TextField, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import { BadRequestError, UserDirectory } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { BudgetOverrideDto } from '../budgets/budget-part.dto.js';
import { BudgetOverrides } from '../budgets/budget-overrides.service.js';
import { BUDGET_TEXT_MAX } from '../budgets/budget-rules.js';
import { BudgetConfiguration } from './budget-configuration.js';
import { idOf, namesOf } from './user-names.js';

const LIST = `
select o.budget_id, b.name as budget, b.split_by, o.part, o.amount_usd::text as amount_usd
from ${SCHEMA}.budget_overrides o join ${SCHEMA}.budgets b on b.org_id = o.org_id and b.id = o.budget_id
where o.org_id = $1`;

interface Row {
  readonly budget_id: string;
  readonly budget: string;
  readonly split_by: string;
  readonly part: string;
  readonly amount_usd: string;
}

/** One entry of the configuration file. */
class BudgetPartEntry extends BudgetOverrideDto {
  @TextField({ max: BUDGET_TEXT_MAX, description: 'Name of the split budget.' })
  budget!: string;
}

/**
 * Amounts of single parts of split budgets in configuration files. Files name a part that is a user by e-mail address.
 */
@Injectable()
export class BudgetPartConfiguration extends ConfigurationKind {
  override readonly kind = 'budget_parts';
  override readonly rank = 45;
  override readonly reads = ['budgets:read', 'users:read'] as const;
  override readonly writes = 'budgets:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly budgets: BudgetConfiguration,
    private readonly overrides: BudgetOverrides,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const rows = await this.database.snapshot(orgId, em => sqlOf(em).query<Row>(LIST, [orgId]));
    const people = rows.filter(row => row.split_by === 'user').map(({ part }) => part);
    const nameOf = await namesOf(this.users, orgId, people);
    return rows.map(({ budget_id: id, budget, split_by: split, part, amount_usd: amount }) => {
      const fields = fieldsOf(budget, split === 'user' ? nameOf(part) : part, Number(amount));
      return { id: JSON.stringify([id, part]), name: nameOfPart(fields.budget, fields.part), fields };
    });
  }

  override async read(_orgId: string, entry: unknown): Promise<WantedObject> {
    const { budget, part, amount_usd: amount } = readInput(BudgetPartEntry, entry, 'body');
    if (amount === null) throw BadRequestError.field('amount_usd', 'must be a number; leave the entry out for none');
    const fields = fieldsOf(budget, part, amount);
    return {
      name: nameOfPart(budget, part),
      fields,
      refers: [{ kind: this.budgets.kind, name: budget, field: 'budget' }],
    };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    const { orgId } = actor;
    const { budget: wanted, part: named, amount_usd: amount } = readInput(BudgetPartEntry, fields, 'body');
    const budget = (await this.budgets.list(orgId)).find(({ name }) => name === wanted);
    if (!budget) throw BadRequestError.field('budget', 'is not a budget of your organization');
    const isPerson = budget.fields['split_by'] === 'user' && named !== '';
    const part = isPerson ? await idOf(this.users, orgId, named, 'part') : named;
    await this.overrides.set(actor, budget.id, part, amount);
  }

  override async update(actor: Actor, id: string, { fields }: WantedObject): Promise<void> {
    const [budgetId, part] = partOf(id);
    await this.overrides.set(actor, budgetId, part, Number(fields['amount_usd']));
  }

  override async remove(actor: Actor, id: string): Promise<void> {
    const [budgetId, part] = partOf(id);
    await this.overrides.set(actor, budgetId, part, null);
  }
}

function fieldsOf(budget: string, part: string, amount: number) {
  return { budget, part, amount_usd: amount };
}

function nameOfPart(budget: string, part: string): string {
  return `${budget} / ${part}`;
}

/** Parses an id that list() returned. */
function partOf(id: string): [string, string] {
  return JSON.parse(id) as [string, string];
}
