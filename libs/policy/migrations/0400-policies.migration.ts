import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, LOOKUP_ROLE, protectTable, SCHEMA } from '#database';
import { FORGET_KEYS } from './forget-keys.sql.js';

/**
 * Whether the record of a decision exists at this moment. A statement that waited for another transaction does not see
 * the rows of that transaction, but a volatile function does. The function is planned per id, so that it reads only the
 * partition of the decision's day.
 */
const HAS_DECISION: readonly [signature: string, definition: string] = [
  'has_decision(organization uuid, decision uuid)',
  `returns boolean language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
   as $$
   begin
     return exists (select from ${SCHEMA}.decisions d where d.org_id = organization and d.id = decision);
   end
   $$`,
];

/** Policies, and records of decisions. */
export class PoliciesMigration0400 extends Migration {
  override up(): void {
    this.policies();
    this.decisions();
    this.keys();
  }

  private policies(): void {
    this.addSql(`create table ${SCHEMA}.policies (
      org_id uuid not null,
      id uuid not null,
      name text not null check (char_length(name) between 1 and 255),
      description text,
      model text,
      action text not null check (action in ('allow', 'block', 'alert', 'require_approval')),
      conditions jsonb not null default '{}' check (jsonb_typeof(conditions) = 'object'),
      enabled boolean not null default true,
      severity text check (severity in ('critical', 'high', 'medium', 'low')),
      version integer not null default 1,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id))`);
    this.addSql(`create index policies_newest on ${SCHEMA}.policies (org_id, created_at desc, id desc)`);
    this.protect('policies', 'select, insert, update, delete');
  }

  // The id is a UUID version 7, so the primary key is also ordered by time, and each partition contains one day. Rows
  // whose day has no partition are in the default partition. Partitions have no grants, so rows are accessed only
  // through the table.
  private decisions(): void {
    this.addSql(`create table ${SCHEMA}.decisions (
      org_id uuid not null,
      id uuid not null,
      occurred_at timestamptz not null,
      user_id text,
      user_email text,
      provider text not null,
      model text not null,
      action text not null,
      allowed boolean not null,
      reason text not null,
      policies jsonb not null,
      attributes jsonb not null,
      spend jsonb,
      idempotency_key text,
      request jsonb,
      policy_revision bigint,
      sample_rate real not null default 1 check (sample_rate > 0 and sample_rate <= 1),
      token_id uuid,
      primary key (org_id, id)) partition by range (id)`);
    this.addSql(`create table ${SCHEMA}.decisions_default partition of ${SCHEMA}.decisions default`);
    this.addSql(`create index decisions_of_user on ${SCHEMA}.decisions (org_id, user_id, id)`);
    // Index for refused decisions: there are few of them, and people search for them.
    this.addSql(`create index decisions_of_action on ${SCHEMA}.decisions (org_id, action, id) where action <> 'allow'`);
    // Columns that may contain personal data. An erasure changes them.
    this.protect('decisions', 'select, insert, update (user_email, reason, policies, attributes, spend, request)');
  }

  // Ensures that there is one decision per idempotency key. A unique key of the partitioned table cannot ensure this,
  // because it would have to contain the time.
  private keys(): void {
    this.addSql(`create table ${SCHEMA}.decision_keys (
      org_id uuid not null,
      decision_id uuid not null,
      idempotency_key text collate "C" not null,
      primary key (org_id, idempotency_key))`);
    this.addSql(`create index decision_keys_age on ${SCHEMA}.decision_keys (decision_id)`);
    this.protect('decision_keys', 'select, insert, update (decision_id)');
    this.addSql(`grant delete on ${SCHEMA}.decision_keys to ${LOOKUP_ROLE}`);
    this.addSql(
      `create policy decision_keys_forget on ${SCHEMA}.decision_keys for delete to ${LOOKUP_ROLE} using (true)`,
    );
    this.addSql(`grant execute on function ${SCHEMA}.first_id_of(date) to ${APP_ROLE}, ${LOOKUP_ROLE}`);
    this.addSql(`create function ${SCHEMA}.${HAS_DECISION[0]} ${HAS_DECISION[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.has_decision(uuid, uuid) from public`);
    this.addSql(`grant execute on function ${SCHEMA}.has_decision(uuid, uuid) to ${APP_ROLE}`);
    const reads = { decision_keys: ['org_id', 'decision_id', 'idempotency_key'] };
    for (const statement of crossOrganizationFunction(...FORGET_KEYS, reads)) this.addSql(statement);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
