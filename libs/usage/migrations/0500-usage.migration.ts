// Longer than 250 lines because it creates all tables of usage and its prices, which refer to each other.
import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, protectTable, SCHEMA } from '#database';
import { INSERT_ONLY, KEEP_USAGE_PARTITIONS, MIN_RETENTION_DAYS } from '../storage/partition-function.sql.js';

// Figures of a rollup row. Tokens are 64-bit (nine million of the largest events fit); money is exact to 10⁻¹² dollars.
const FIGURES = `
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  reasoning_tokens bigint not null,
  cost_usd numeric(38, 12) not null,
  unpriced_requests bigint not null,
  list_cost_usd numeric(38, 12) not null default 0`;

// Texts compare by code point: the order is the same on every server, and a new locale requires no new index. Rollup
// pages keep free space, because figures are updated often and no index contains them.
const WHOSE = `
  user_id uuid not null,
  model text collate "C" not null,
  provider text collate "C" not null`;

// The attribution of usage that has no attributes.
const ATTRIBUTION = `attribution_id uuid not null default '00000000-0000-0000-0000-000000000000'`;

/** Usage events, their attributions, their rollups by hour and day, and the organizations' own prices. */
export class UsageMigration0500 extends Migration {
  override up(): void {
    this.attributions();
    this.events();
    this.eventKeys();
    this.partitions();
    this.hourly();
    this.daily();
    this.totals();
    this.prices();
    this.discounts();
    this.exchangeRates();
  }

  private attributions(): void {
    // One row for each combination, so that a rollup row contains an id instead of the texts. The id is derived from
    // the texts.
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
    this.protect('usage_attributions', 'select, insert, update (project, tags)');

    // With this table, ingestion limits the number of distinct values in reports. It also lists the possible values of
    // filters.
    this.addSql(`create table ${SCHEMA}.usage_dimension_values (
      org_id uuid not null,
      dimension text collate "C" not null,
      value text collate "C" not null,
      first_seen timestamptz not null,
      primary key (org_id, dimension, value))`);
    this.protect('usage_dimension_values', 'select, insert, delete');
  }

  // The numeric columns come first, which avoids padding. The table has no primary key, because usage_event_keys makes
  // event ids unique. An index on the time alone is a third of the size of a key with the id, and makes ingestion a
  // tenth faster. One partition per month keeps the current index small, and an old month can be dropped. Rows without
  // a monthly partition are in the default partition. Roles have no privileges on partitions: rows are accessed only
  // through the table.
  private events(): void {
    this.addSql(`create table ${SCHEMA}.usage_events (
      org_id uuid not null,
      user_id uuid not null,
      occurred_at timestamptz not null,
      received_at timestamptz not null,
      input_tokens bigint not null,
      output_tokens bigint not null,
      cache_read_tokens bigint not null,
      cache_write_tokens bigint not null,
      reasoning_tokens bigint not null,
      requests integer not null,
      id text collate "C" not null,
      provider text collate "C" not null,
      model text collate "C" not null,
      department text collate "C" null,
      cost_usd numeric(38, 12) null,
      price_source text null,
      price_version text null,
      decision_id uuid null,
      units jsonb null,
      metadata jsonb null,
      project text collate "C" null,
      tags jsonb null,
      token_id uuid null,
      attribution_id uuid null,
      service_tier text null,
      region text collate "C" null,
      list_cost_usd numeric(38, 12) null
    ) partition by range (occurred_at)`);
    this.addSql(
      `create table ${SCHEMA}.usage_events_default partition of ${SCHEMA}.usage_events default ${INSERT_ONLY}`,
    );
    this.index('usage_events_default', 'received', '(received_at)');
    this.index('usage_events', 'time', '(org_id, occurred_at)');
    // For the cost of a decision. Ids of decisions are time-ordered, so inserts go to the end of the index; most events
    // have no decision.
    this.index('usage_events', 'decision', '(org_id, decision_id) where decision_id is not null');
    this.protect('usage_events', 'select, insert, update (project, tags, metadata)');
  }

  // Makes event ids unique regardless of the event's time. A unique key of the partitioned table usage_events would
  // have to contain the time. Most event ids grow with time, so new ids are adjacent in the index, which compares them
  // as texts.
  private eventKeys(): void {
    this.addSql(`create table ${SCHEMA}.usage_event_keys (
      org_id uuid not null,
      occurred_at timestamptz not null,
      id text collate "C" not null,
      fingerprint bytea not null,
      primary key (org_id, id)
    ) ${INSERT_ONLY}`);
    this.protect('usage_event_keys', 'select, insert');
  }

  private partitions(): void {
    const [signature, definition] = KEEP_USAGE_PARTITIONS;
    this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
    this.addSql(`revoke all on function ${SCHEMA}.keep_usage_partitions(integer) from public`);
    this.addSql(`grant execute on function ${SCHEMA}.keep_usage_partitions(integer) to ${APP_ROLE}`);
    this.addSql(`select ${SCHEMA}.keep_usage_partitions(${MIN_RETENTION_DAYS})`);
  }

  // Offsets of time zones differ by quarters of an hour. Rows are therefore split by quarter, so that a day in any zone
  // is a sum of rows. The unique index takes the place of a primary key, because a primary key cannot be in descending
  // order, which the list needs.
  private hourly(): void {
    this.addSql(`create table ${SCHEMA}.usage_hourly (
      org_id uuid not null, hour timestamptz not null, ${WHOSE}, ${FIGURES}, ${ATTRIBUTION},
      quarter smallint not null default 0 check (quarter between 0 and 3)
    ) with (fillfactor = 70)`);
    this.uniqueKey('usage_hourly', '(org_id, hour desc, user_id, model, provider, attribution_id, quarter)');
    this.index('usage_hourly', 'user', '(org_id, user_id, hour desc, model, provider)');
    this.index('usage_hourly', 'model', '(org_id, model, hour desc, user_id, provider)');
    this.protect('usage_hourly', 'select, insert, update');
  }

  // The order of an index contains the days of a week or month together, so a page reads at most 31 rows per line. One
  // user has few days, so one index serves all periods of a user's list.
  private daily(): void {
    this.addSql(`create table ${SCHEMA}.usage_daily (
      org_id uuid not null,
      day date not null,
      week_start date not null generated always as (day - (extract(isodow from day)::integer - 1)) stored,
      month_start date not null generated always as (day - (extract(day from day)::integer - 1)) stored,
      ${WHOSE}, ${FIGURES}, ${ATTRIBUTION}
    ) with (fillfactor = 70)`);
    this.uniqueKey('usage_daily', '(org_id, day desc, user_id, model, provider, attribution_id)');
    this.index('usage_daily', 'week', '(org_id, week_start desc, user_id, model, provider, day)');
    this.index('usage_daily', 'month', '(org_id, month_start desc, user_id, model, provider, day)');
    this.index('usage_daily', 'user', '(org_id, user_id, day desc, model, provider)');
    this.index('usage_daily', 'model', '(org_id, model, day desc, user_id, provider)');
    this.index('usage_daily', 'model_week', '(org_id, model, week_start desc, user_id, provider, day)');
    this.index('usage_daily', 'model_month', '(org_id, model, month_start desc, user_id, provider, day)');
    this.protect('usage_daily', 'select, insert, update');
  }

  // The rollups without users and tokens, for reports of the whole organization. The number of rows depends on the
  // number of departments, projects and models, and not on the number of users.
  private totals(): void {
    this.addSql(`create table ${SCHEMA}.usage_totals (
      org_id uuid not null,
      grain_minutes smallint not null check (grain_minutes in (15, 60, 1440)),
      start timestamptz not null,
      attribution_id uuid not null,
      model text collate "C" not null,
      provider text collate "C" not null,
      ${FIGURES},
      primary key (org_id, grain_minutes, start, attribution_id, model, provider)) with (fillfactor = 50)`);
    this.protect('usage_totals', 'select, insert, update');
  }

  private prices(): void {
    this.addSql(`create table ${SCHEMA}.prices (
      org_id uuid not null,
      id uuid not null,
      kind text not null check (kind in ('price', 'alias')),
      provider text null,
      model text not null,
      input_per_million_usd numeric(24, 12) null,
      output_per_million_usd numeric(24, 12) null,
      cache_read_per_million_usd numeric(24, 12) null,
      cache_write_per_million_usd numeric(24, 12) null,
      reasoning_per_million_usd numeric(24, 12) null,
      service_tier text not null default 'standard',
      region text null,
      effective_from timestamptz null,
      target_provider text null,
      target_model text null,
      version integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id),
      constraint prices_complete check (case kind
        when 'price' then input_per_million_usd is not null and output_per_million_usd is not null
          and target_model is null
        else target_provider is not null and target_model is not null and input_per_million_usd is null end)
    )`);
    this.addSql(`create unique index prices_key on ${SCHEMA}.prices
      (org_id, kind, lower(provider), lower(model), service_tier, lower(region), effective_from) nulls not distinct`);
    this.protect('prices', 'select, insert, update, delete');
  }

  private discounts(): void {
    this.addSql(`create table ${SCHEMA}.discounts (
      org_id uuid not null,
      id uuid not null,
      provider text null,
      model text not null,
      percent_off numeric(9, 6) not null check (percent_off between 0 and 100),
      effective_from timestamptz null,
      effective_until timestamptz null check (effective_until > effective_from),
      version integer not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id)
    )`);
    this.addSql(`create unique index discounts_key on ${SCHEMA}.discounts
      (org_id, lower(provider), lower(model), effective_from) nulls not distinct`);
    this.protect('discounts', 'select, insert, update, delete');
  }

  private exchangeRates(): void {
    this.addSql(`create table ${SCHEMA}.exchange_rates (
      org_id uuid not null,
      id uuid not null,
      currency text collate "C" not null,
      day date not null,
      rate numeric(24, 12) not null check (rate > 0),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id)
    )`);
    this.addSql(`create unique index exchange_rates_key on ${SCHEMA}.exchange_rates (org_id, currency, day)`);
    this.protect('exchange_rates', 'select, insert, update, delete');
  }

  private uniqueKey(table: string, columns: string): void {
    this.addSql(`create unique index ${table}_key on ${SCHEMA}.${table} ${columns}`);
    this.addSql(`alter table ${SCHEMA}.${table} replica identity using index ${table}_key`);
  }

  private index(table: string, name: string, columns: string): void {
    this.addSql(`create index ${table}_${name} on ${SCHEMA}.${table} ${columns}`);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
