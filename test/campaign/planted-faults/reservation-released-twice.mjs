// A released reservation is returned to the budget twice.
import { ofApp } from './support/app.mjs';

const HELD = 'select amount_usd, budget_ids, window_starts from governance.reservations where org_id = $1 and id = $2';
const AGAIN = `
update governance.budget_windows w set reserved_usd = greatest(0, w.reserved_usd - $2::numeric)
from unnest($3::uuid[], $4::timestamptz[]) as c (budget, start)
where w.org_id = $1 and w.budget_id = c.budget and w.window_start = c.start`;

const { BudgetGuard } = await ofApp('libs/usage/spend/budget-guard.js');
const { sqlOf } = await ofApp('libs/database/sql-transaction.js');

const { release } = BudgetGuard.prototype;
BudgetGuard.prototype.release = async function (orgId, decisionId) {
  const run = (sql, values) => this.database.transaction(orgId, em => sqlOf(em).query(sql, values));
  const [held] = await run(HELD, [orgId, decisionId]);
  const released = await release.call(this, orgId, decisionId);
  if (held && released > 0n) await run(AGAIN, [orgId, held.amount_usd, held.budget_ids, held.window_starts]);
  return released;
};
