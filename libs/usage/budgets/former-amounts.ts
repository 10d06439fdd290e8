import type { SqlTransaction } from '#core';
import { SCHEMA } from '#database';

// If two changes have the same time, the history shows the amount before the first change for the time before.
const NOTE = `
insert into ${SCHEMA}.budget_former_amounts (org_id, budget_id, is_override, part, until, amount_usd)
values ($1, $2, $3, $4, $5, $6) on conflict do nothing`;

/** An amount that was replaced. */
export interface FormerAmount {
  readonly budgetId: string;
  /** The part whose own amount was replaced; undefined if the amount of the budget was replaced. */
  readonly part?: string;
  /** Decimal text of US dollars; null if the part had no amount of its own. */
  readonly amountUsd: string | null;
  /** Time of the change. */
  readonly until: Date;
}

/** Stores a replaced amount for the history of the budget. */
export async function noteFormerAmount(tx: SqlTransaction, orgId: string, amount: FormerAmount): Promise<void> {
  const { budgetId, part, amountUsd, until } = amount;
  await tx.query(NOTE, [orgId, budgetId, part !== undefined, part ?? '', until.toISOString(), amountUsd]);
}
