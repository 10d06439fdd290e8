import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, LOOKUP_ROLE, protectTable, SCHEMA } from '#database';
import { FORGET_HOURS } from './forget-hours.sql.js';
import { LOG_ATTEMPTS } from './log-attempts.sql.js';

/** Creates webhooks, deliveries, attempts and hourly figures. */
export class WebhooksMigration0600 extends Migration {
  override up(): void {
    this.webhooks();
    this.deliveries();
    this.attempts();
    this.hours();
    this.anchors();
    this.addSql(`create function ${SCHEMA}.${LOG_ATTEMPTS[0]} ${LOG_ATTEMPTS[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.log_attempts from public`);
    this.addSql(`grant execute on function ${SCHEMA}.log_attempts to ${APP_ROLE}`);
  }

  private webhooks(): void {
    this.addSql(`create table ${SCHEMA}.webhooks (
      org_id uuid not null,
      id uuid not null,
      url text not null check (char_length(url) between 1 and 2048),
      events text[] check (cardinality(events) > 0),
      description text,
      enabled boolean not null default true,
      secret_version integer not null default 1,
      previous_secret_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.protect('webhooks', 'select, insert, update, delete');
  }

  // An event has one delivery per webhook, even if two transactions create it at the same time: the id is a digest of
  // both (see `delivery/delivery-id.sql.ts`).
  private deliveries(): void {
    this.addSql(`create table ${SCHEMA}.webhook_deliveries (
      org_id uuid not null,
      event_id uuid not null,
      webhook_id uuid not null,
      id uuid not null,
      event_type text not null,
      status text not null check (status in ('pending', 'delivered', 'failed', 'cancelled')),
      attempts integer not null default 0,
      created_at timestamptz not null,
      ended_at timestamptz,
      primary key (org_id, webhook_id, id)) partition by range (id)`);
    // Indexes to list the deliveries of all webhooks, and the deliveries of one event.
    this.addSql(`create index webhook_deliveries_newest on ${SCHEMA}.webhook_deliveries (org_id, id)`);
    this.addSql(`create index webhook_deliveries_of_event on ${SCHEMA}.webhook_deliveries (org_id, event_id)`);
    // Index of the failed deliveries, which users search and retry. They are few.
    this.addSql(`create index webhook_deliveries_failed on ${SCHEMA}.webhook_deliveries (org_id, webhook_id, id)
      where status = 'failed'`);
    this.defaultPartition('webhook_deliveries');
    this.protect('webhook_deliveries', 'select, insert, update');
  }

  private attempts(): void {
    this.addSql(`create table ${SCHEMA}.webhook_attempts (
      org_id uuid not null,
      id uuid not null,
      delivery_id uuid not null,
      webhook_id uuid not null,
      number integer not null,
      trigger text not null check (trigger in ('schedule', 'manual', 'recovery')),
      started_at timestamptz not null,
      duration_ms integer,
      http_status integer,
      response_body bytea,
      response_truncated boolean not null default false,
      error text,
      headers text,
      primary key (org_id, delivery_id, id)) partition by range (id)`);
    this.defaultPartition('webhook_attempts');
    this.protect('webhook_attempts', 'select, insert, update (response_body, headers)');
  }

  // Every attempt updates a row. No index contains a changing column, so an update stays on its page (HOT) as long as
  // the page has room.
  private hours(): void {
    this.addSql(`create table ${SCHEMA}.webhook_hours (
      org_id uuid not null,
      webhook_id uuid not null,
      hour timestamptz not null,
      attempts integer not null default 0,
      succeeded integer not null default 0,
      timeouts integer not null default 0,
      duration_ms bigint not null default 0,
      latencies integer[] not null default '{}',
      last_success_at timestamptz,
      last_failure_at timestamptz,
      primary key (org_id, webhook_id, hour)) with (fillfactor = 50)`);
    this.protect('webhook_hours', 'select, insert, update, delete');
    this.addSql(`grant delete on ${SCHEMA}.webhook_hours to ${LOOKUP_ROLE}`);
    this.addSql(
      `create policy webhook_hours_forget on ${SCHEMA}.webhook_hours for delete to ${LOOKUP_ROLE} using (true)`,
    );
    for (const statement of crossOrganizationFunction(...FORGET_HOURS, { webhook_hours: ['hour'] })) {
      this.addSql(statement);
    }
  }

  /**
   * Selects organizations that have a webhook for audit anchors, and whose last anchor is older than the given number
   * of hours.
   */
  private anchors(): void {
    const due = crossOrganizationFunction(
      'organizations_due_an_anchor(hours integer, most integer)',
      `returns setof uuid language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select h.org_id from ${SCHEMA}.audit_heads h
             where (h.anchored_at is null or h.anchored_at <= ${SCHEMA}.now() - hours * interval '1 hour') and exists (
               select from ${SCHEMA}.webhooks w
               where w.org_id = h.org_id and w.enabled and 'audit_anchor' = any (w.events))
             order by h.org_id limit most $$`,
      { audit_heads: ['org_id', 'key_id', 'anchored_at'], webhooks: ['org_id', 'enabled', 'events'] },
    );
    for (const statement of due) this.addSql(statement);
  }

  /**
   * The default partition contains rows of days that have no partition. No role has privileges on it; rows are read
   * through the parent table.
   */
  private defaultPartition(table: string): void {
    this.addSql(`create table ${SCHEMA}.${table}_default partition of ${SCHEMA}.${table} default`);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
