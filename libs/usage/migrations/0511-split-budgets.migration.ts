import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, protectTable, SCHEMA } from '#database';
import { ADD_SPEND_TO_PARTS, RELEASE_PARTS, RESERVE_PARTS } from './split-budget-functions.sql.js';

/** Budgets for conjunctions, budgets that each person or project has, longer periods, and alerts of one's own. */
export class SplitBudgetsMigration0511 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.budgets
      drop constraint budgets_complete, drop constraint budgets_scope_check, drop constraint budgets_period_check,
      add column match jsonb null check (jsonb_typeof(match) = 'object'),
      add column split_by text null check (split_by in ('user', 'department', 'project', 'token')),
      add column alerts numeric[] null check (cardinality(alerts) between 1 and 10),
      add constraint budgets_scope_check check (scope in ('organization', 'department', 'user', 'model', 'combined')),
      add constraint budgets_period_check check (period in ('daily', 'weekly', 'monthly', 'quarterly', 'yearly')),
      add constraint budgets_complete check (
        (scope = 'department') = (department is not null)
        and (scope = 'user') = (user_id is not null)
        and (scope = 'model') = (model is not null)
        and (scope = 'combined') = (match is not null))`);

    // The part comes last: the windows of one budget stay together, and so do the parts of one window.
    this.addSql(`alter table ${SCHEMA}.budget_windows
      add column part text collate "C" not null default '',
      add column warned numeric null,
      drop constraint budget_windows_pkey,
      add primary key (org_id, budget_id, window_start, part)`);

    // Null where no window is a part of anything: most reservations stay as small as they were.
    this.addSql(`alter table ${SCHEMA}.reservations add column parts text[] null, add column about jsonb null`);

    this.addSql(`create table ${SCHEMA}.budget_overrides (
      org_id uuid not null,
      budget_id uuid not null,
      part text collate "C" not null,
      amount_usd numeric(38, 12) not null check (amount_usd >= 0),
      primary key (org_id, budget_id, part),
      foreign key (org_id, budget_id) references ${SCHEMA}.budgets (org_id, id) on delete cascade)`);
    for (const statement of protectTable('budget_overrides', 'select, insert, update, delete')) this.addSql(statement);

    this.addSql(`drop function ${SCHEMA}.reserve_spend, ${SCHEMA}.add_spend`);
    for (const [signature, definition] of [RESERVE_PARTS, ADD_SPEND_TO_PARTS]) {
      this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
      const name = signature.slice(0, signature.indexOf('('));
      this.addSql(`revoke all on function ${SCHEMA}.${name} from public`);
      this.addSql(`grant execute on function ${SCHEMA}.${name} to ${APP_ROLE}`);
    }
    this.addSql(`create or replace function ${SCHEMA}.${RELEASE_PARTS[0]} ${RELEASE_PARTS[1]}`);
  }
}
