import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Policies, and what was decided by them. */
export class PoliciesMigration0400 extends Migration {
  override up(): void {
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
    this.addSql(protectTable('policies', 'select, insert, update, delete').join(';'));

    // The id is a UUID of version 7, so the primary key is also the order by time.
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
      sample_rate real not null default 1,
      primary key (org_id, id))`);
    this.addSql(`create index decisions_of_user on ${SCHEMA}.decisions (org_id, user_id, id)`);
    this.addSql(`create unique index decisions_idempotency on ${SCHEMA}.decisions (org_id, idempotency_key)
      where idempotency_key is not null`);
    this.addSql(protectTable('decisions', 'select, insert').join(';'));
  }
}
