import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, isUuid, type SqlTransaction } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { lockUsage } from '../usage-lock.js';
import { picoToDecimalString } from '../prices/index.js';
import type { ScopeSplit } from '../scopes/index.js';
import { windowIn } from '../windows/index.js';
import { amountOf, FAULT_OF } from './budget-rules.js';
import { BudgetWindows, calendarOf } from './budget-windows.service.js';
import { splitBudget } from './budget-parts.service.js';
import { noteFormerAmount } from './former-amounts.js';
import { BUDGETS_TOPIC } from './organization-budgets.js';

const SET = `
insert into ${SCHEMA}.budget_overrides (org_id, budget_id, part, amount_usd) values ($1, $2, $3, $4)
on conflict (org_id, budget_id, part) do update set amount_usd = excluded.amount_usd`;
const UNSET = `delete from ${SCHEMA}.budget_overrides where org_id = $1 and budget_id = $2 and part = $3`;
const BEFORE = `
select amount_usd::text from ${SCHEMA}.budget_overrides where org_id = $1 and budget_id = $2 and part = $3`;

/** Sets the amounts of individual parts of split budgets. */
@Injectable()
export class BudgetOverrides {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly windows: BudgetWindows,
  ) {}

  /**
   * Sets the amount of one part, from the current window on. With null, the amount of the budget applies to the part
   * again. Once the call returns, decisions use the new amount. Sends alerts for thresholds that the part has reached
   * at once.
   * @returns the part as it is stored: ids in lower case
   * @throws BudgetNotFoundError
   * @throws BudgetNotSplitError
   * @throws BadRequestError if the amount is invalid, or if the organization has no such user or token
   */
  async set(actor: Actor, id: string, part: string, amountUsd: number | null): Promise<string> {
    const fault = amountUsd === null ? undefined : FAULT_OF.amountUsd(amountUsd);
    if (fault !== undefined) throw BadRequestError.field('amount_usd', fault);
    const { orgId } = actor;
    const kept = await this.partOf(orgId, id, part, amountUsd);
    await this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      await lockUsage(tx, orgId);
      const budget = await splitBudget(em, orgId, id);
      const now = this.clock.now();
      const before = await write(tx, orgId, id, kept, amountUsd);
      await noteFormerAmount(tx, orgId, { budgetId: id, part: kept, amountUsd: before, until: now });
      const window = windowIn(await calendarOf(tx, orgId), budget.period, now);
      // Opens the part's window, so that lists contain it.
      await this.windows.reconsider(em, orgId, [{ budget: budget.asKnown(), window, part: kept }]);
      await this.changes.mark(em, orgId, BUDGETS_TOPIC);
      await this.audit.append(em, actor, {
        action: 'budget.override_set',
        resourceType: 'budget',
        resourceId: id,
        before: { part: kept, amount_usd: before === null ? null : Number(before) },
        after: { part: kept, amount_usd: amountUsd },
      });
    });
    await this.changes.refresh(orgId);
    return kept;
  }

  /** The part as it is stored. Reading it needs no lock, because the split of a budget never changes. */
  private async partOf(orgId: string, id: string, part: string, amountUsd: number | null): Promise<string> {
    const { split, kept, isSet } = await this.database.snapshot(orgId, async em => {
      const { splitBy } = await splitBudget(em, orgId, id);
      const name = keptPart(splitBy, part);
      return { split: splitBy, kept: name, isSet: (await amountSet(sqlOf(em), orgId, id, name)) !== null };
    });
    // The amount of a part can be removed even after its user was deleted.
    if (amountUsd !== null || !isSet) await this.windows.requirePart(orgId, split, kept);
    return kept;
  }
}

async function write(
  tx: SqlTransaction,
  orgId: string,
  id: string,
  part: string,
  amountUsd: number | null,
): Promise<string | null> {
  const before = await amountSet(tx, orgId, id, part);
  if (amountUsd === null) await tx.query(UNSET, [orgId, id, part]);
  else await tx.query(SET, [orgId, id, part, picoToDecimalString(amountOf(amountUsd) ?? 0n)]);
  return before;
}

/** The part's own amount as decimal text; null if the amount of the budget applies. */
async function amountSet(tx: SqlTransaction, orgId: string, id: string, part: string): Promise<string | null> {
  const [before] = await tx.query<{ amount_usd: string }>(BEFORE, [orgId, id, part]);
  return before?.amount_usd ?? null;
}

/** @throws BadRequestError if the split cannot have such a part */
function keptPart(split: ScopeSplit | null, part: string): string {
  if (part === '' || (split !== 'user' && split !== 'token')) return part;
  if (!isUuid(part))
    throw BadRequestError.field('part', `must be the id of a ${split}, because the budget is split by it`);
  return part.toLowerCase();
}
