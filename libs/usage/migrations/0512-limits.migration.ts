import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, protectTable, SCHEMA } from '#database';
import { CLAIM_LIMITS } from './claim-limits.sql.js';

/** Limits, the claims that replicas have on them, and the ends of requests that began on another replica. */
export class LimitsMigration0512 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.limits (
      org_id uuid not null,
      id uuid not null,
      name text collate "C" not null check (char_length(name) between 1 and 255),
      scope text not null check (scope in ('organization', 'department', 'user', 'model', 'combined')),
      department text collate "C" null,
      user_id uuid null,
      model text collate "C" null,
      match jsonb null check (jsonb_typeof(match) = 'object'),
      split_by text null check (split_by in ('user', 'department', 'project', 'token')),
      requests_per_minute integer null check (requests_per_minute > 0),
      tokens_per_minute integer null check (tokens_per_minute > 0),
      concurrent_requests integer null check (concurrent_requests > 0),
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id),
      check (num_nonnulls(requests_per_minute, tokens_per_minute, concurrent_requests) > 0))`);
    this.addSql(`create index limits_newest on ${SCHEMA}.limits (org_id, created_at desc, id desc)`);
    this.protect('limits');

    // The claims of the most recent steps of two seconds each, the newest last. A row without recent claims is not
    // read.
    this.addSql(`create table ${SCHEMA}.limit_counters (
      org_id uuid not null,
      limit_id uuid not null,
      part text collate "C" not null,
      newest bigint not null,
      requests bigint[] not null,
      tokens bigint[] not null,
      touched_at timestamptz not null,
      primary key (org_id, limit_id, part),
      foreign key (org_id, limit_id) references ${SCHEMA}.limits (org_id, id) on delete cascade)
      with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    this.protect('limit_counters');

    this.addSql(`create table ${SCHEMA}.limit_leases (
      org_id uuid not null,
      limit_id uuid not null,
      part text collate "C" not null,
      replica uuid not null,
      slots integer not null check (slots >= 0),
      expires_at timestamptz not null,
      primary key (org_id, limit_id, part, replica),
      foreign key (org_id, limit_id) references ${SCHEMA}.limits (org_id, id) on delete cascade)
      with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    this.protect('limit_leases');

    this.addSql(`create table ${SCHEMA}.limit_ends (
      org_id uuid not null,
      decision_id uuid not null,
      ended_at timestamptz not null,
      primary key (org_id, decision_id))`);
    this.protect('limit_ends');

    const [signature, definition] = CLAIM_LIMITS;
    this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
    this.addSql(`revoke all on function ${SCHEMA}.claim_limits from public`);
    this.addSql(`grant execute on function ${SCHEMA}.claim_limits to ${APP_ROLE}`);
  }

  private protect(table: string): void {
    for (const statement of protectTable(table, 'select, insert, update, delete')) this.addSql(statement);
  }
}
