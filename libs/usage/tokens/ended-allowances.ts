import { Injectable } from '@nestjs/common';
import { HOLDS, type Actor } from '#access';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { BudgetNotFoundError } from '../budgets/budget.errors.js';
import { BudgetService } from '../budgets/budget.service.js';
import { LimitNotFoundError } from '../limits/limit.errors.js';
import { LimitService } from '../limits/limit.service.js';

/**
 * `$1` is the organization, `$2` the time. Selects the budgets or limits with a condition on a token that has ended.
 */
const ENDED = (table: 'budgets' | 'limits'): string => `
select x.id from ${SCHEMA}.${table} x join ${SCHEMA}.access_tokens t
  on t.org_id = x.org_id and t.id = (x.match ->> 'token')::uuid
where x.org_id = $1 and x.match ->> 'token' is not null and (t.expires_at <= $2 or not (${HOLDS}))
order by x.id`;

/**
 * Deletes budgets and limits of access tokens that were revoked or have expired. No request can count in them any more.
 */
@Injectable()
export class EndedAllowances {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly budgets: BudgetService,
    private readonly limits: LimitService,
  ) {}

  /** Deletes these budgets and limits in the actor's organization. Returns their number. */
  async delete(actor: Actor): Promise<number> {
    const { orgId } = actor;
    const now = this.clock.now().toISOString();
    const [budgets, limits] = await this.database.snapshot(orgId, async em => {
      const idsOf = (table: 'budgets' | 'limits') => sqlOf(em).query<{ id: string }>(ENDED(table), [orgId, now]);
      return [await idsOf('budgets'), await idsOf('limits')] as const;
    });
    for (const { id } of budgets) await unless(BudgetNotFoundError, this.budgets.delete(actor, id));
    for (const { id } of limits) await unless(LimitNotFoundError, this.limits.delete(actor, id));
    return budgets.length + limits.length;
  }
}

/** Ignores that another replica has already deleted the budget or limit. */
async function unless(gone: typeof BudgetNotFoundError | typeof LimitNotFoundError, work: Promise<void>) {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof gone)) throw error;
  }
}
