import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Former amounts of budgets, and the alerts of their windows. */
export class BudgetHistoryMigration0546 extends Migration {
  override up(): void {
    // A replaced amount of a budget or of one of its parts. Null: the part had no amount of its own before.
    this.addSql(`create table ${SCHEMA}.budget_former_amounts (
      org_id uuid not null,
      budget_id uuid not null,
      is_override boolean not null,
      part text collate "C" not null default '',
      until timestamptz not null,
      amount_usd numeric(38, 12) null check (amount_usd >= 0),
      primary key (org_id, budget_id, is_override, part, until),
      check (is_override or part = '' and amount_usd is not null),
      foreign key (org_id, budget_id) references ${SCHEMA}.budgets (org_id, id) on delete cascade)`);
    this.addSql(protectTable('budget_former_amounts', 'select, insert').join(';'));

    // The alerts are deleted with their window.
    this.addSql(`create table ${SCHEMA}.budget_alerts (
      org_id uuid not null,
      budget_id uuid not null,
      window_start timestamptz not null,
      part text collate "C" not null,
      event_id uuid not null,
      threshold numeric not null,
      amount_usd numeric(38, 12) not null,
      spent_usd numeric(38, 12) not null,
      sent_at timestamptz not null,
      primary key (org_id, budget_id, window_start, part, event_id),
      foreign key (org_id, budget_id, window_start, part)
        references ${SCHEMA}.budget_windows (org_id, budget_id, window_start, part) on delete cascade)`);
    this.addSql(protectTable('budget_alerts', 'select, insert').join(';'));
  }
}
