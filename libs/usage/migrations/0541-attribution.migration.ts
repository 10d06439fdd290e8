import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

const FIGURES = [
  ...['requests', 'input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens'],
  ...['cost_usd', 'unpriced_requests'],
];

const typeOf = (figure: string): string => (figure === 'cost_usd' ? 'numeric(38, 12)' : 'bigint');

/** What usage counts for: department, project, tags and token, on events and in rollups. */
export class AttributionMigration0541 extends Migration {
  override up(): void {
    // One row for each combination, so that rollups repeat an id and not its texts. The id is made from the content.
    this.addSql(`create table ${SCHEMA}.usage_attributions (
      org_id uuid not null,
      id uuid not null,
      shared_id uuid not null,
      department text collate "C" null,
      project text collate "C" null,
      tags jsonb null,
      token_id uuid null,
      primary key (org_id, id))`);
    this.addSql(
      `create index usage_attributions_shared on ${SCHEMA}.usage_attributions (org_id) where token_id is null`,
    );
    this.protect('usage_attributions', 'select, insert');

    // Bounds how many values reports tell apart, and answers what there is to filter by.
    this.addSql(`create table ${SCHEMA}.usage_dimension_values (
      org_id uuid not null,
      dimension text collate "C" not null,
      value text collate "C" not null,
      first_seen timestamptz not null,
      primary key (org_id, dimension, value))`);
    this.protect('usage_dimension_values', 'select, insert');

    // As sent; the attribution says how it counts.
    this.addSql(`alter table ${SCHEMA}.usage_events
      add column project text collate "C" null,
      add column tags jsonb null,
      add column token_id uuid null,
      add column attribution_id uuid null`);
    this.refineRollups();
    this.totals();
  }

  // Zones differ by quarters of an hour, and so do their days: rows of an hour are kept by quarter, so that a day of any
  // zone is a sum of them.
  private refineRollups(): void {
    const none = `uuid not null default '00000000-0000-0000-0000-000000000000'`;
    this.addSql(`alter table ${SCHEMA}.usage_hourly
      add column attribution_id ${none}, add column quarter smallint not null default 0 check (quarter between 0 and 3)`);
    this.addSql(`alter table ${SCHEMA}.usage_daily add column attribution_id ${none}`);
    this.replaceKey('usage_hourly', '(org_id, hour desc, user_id, model, provider, attribution_id, quarter)');
    this.replaceKey('usage_daily', '(org_id, day desc, user_id, model, provider, attribution_id)');
  }

  // The same without people and tokens, for reports of the whole organization: as many rows as there are departments,
  // projects and models, however many people there are.
  private totals(): void {
    this.addSql(`create table ${SCHEMA}.usage_totals (
      org_id uuid not null,
      grain_minutes smallint not null check (grain_minutes in (15, 60, 1440)),
      start timestamptz not null,
      attribution_id uuid not null,
      model text collate "C" not null,
      provider text collate "C" not null,
      ${FIGURES.map(name => `${name} ${typeOf(name)} not null`).join(', ')},
      primary key (org_id, grain_minutes, start, attribution_id, model, provider)) with (fillfactor = 50)`);
    this.protect('usage_totals', 'select, insert, update');
    this.fillTotals();
  }

  // Row-level security binds the owner too, and this is about every organization.
  private fillTotals(): void {
    const tables = ['usage_hourly', 'usage_daily', 'usage_totals'];
    const sums = FIGURES.map(name => `sum(${name})`).join(', ');
    const fill = (minutes: number, start: string, table: string) => `insert into ${SCHEMA}.usage_totals
      select org_id, ${minutes}, ${start}, attribution_id, model, provider, ${sums} from ${SCHEMA}.${table}
      group by 1, 2, 3, 4, 5, 6`;
    for (const table of tables) this.addSql(`alter table ${SCHEMA}.${table} no force row level security`);
    this.addSql(fill(15, 'hour', 'usage_hourly'));
    this.addSql(fill(60, 'hour', 'usage_hourly'));
    this.addSql(fill(1440, `day::timestamp at time zone 'UTC'`, 'usage_daily'));
    for (const table of tables) this.addSql(`alter table ${SCHEMA}.${table} force row level security`);
  }

  private replaceKey(table: string, columns: string): void {
    this.addSql(`alter table ${SCHEMA}.${table} replica identity default`);
    this.addSql(`drop index ${SCHEMA}.${table}_key`);
    this.addSql(`create unique index ${table}_key on ${SCHEMA}.${table} ${columns}`);
    this.addSql(`alter table ${SCHEMA}.${table} replica identity using index ${table}_key`);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
