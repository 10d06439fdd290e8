import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Cost adjustments of stored usage, the re-ratings that made them, and an index of usage without a price. */
export class ReratingMigration0520 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.usage_reratings (
      org_id uuid not null,
      id uuid not null,
      status text not null check (status in ('pending', 'running', 'done', 'failed')),
      start_date date not null,
      end_date date not null,
      provider text null,
      model text null,
      events_examined bigint not null default 0,
      events_adjusted bigint not null default 0,
      adjustment_usd numeric(38, 12) not null default 0,
      created_at timestamptz not null,
      finished_at timestamptz null,
      primary key (org_id, id),
      constraint usage_reratings_finished check ((status in ('done', 'failed')) = (finished_at is not null)))`);
    // Without this constraint, two concurrent runs would both adjust the same event.
    this.addSql(`create unique index usage_reratings_under_way on ${SCHEMA}.usage_reratings (org_id)
      where status in ('pending', 'running')`);
    this.protect('usage_reratings', 'select, insert, update');

    // Usage events are immutable: current cost = stored cost + adjustments. The primary key prevents a run that resumes
    // after a crash from adjusting an event twice.
    this.addSql(`create table ${SCHEMA}.usage_adjustments (
      org_id uuid not null,
      event_id text collate "C" not null,
      rerating_id uuid not null,
      occurred_at timestamptz not null,
      cost_delta_usd numeric(38, 12) not null,
      list_cost_delta_usd numeric(38, 12) not null default 0,
      unpriced_delta bigint not null,
      price_source text null,
      price_version text null,
      created_at timestamptz not null,
      primary key (org_id, event_id, rerating_id))`);
    this.addSql(`create index usage_adjustments_time on ${SCHEMA}.usage_adjustments (org_id, occurred_at, event_id)`);
    this.protect('usage_adjustments', 'select, insert');

    this.addSql(`create index usage_daily_unpriced on ${SCHEMA}.usage_daily (org_id, provider, model, day)
      where unpriced_requests > 0`);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
