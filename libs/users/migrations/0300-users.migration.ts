import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** The users of an organization. */
export class UsersMigration0300 extends Migration {
  override up(): void {
    // Names and departments compare by code point, so that lists have the same order on every server. The
    // fill factor leaves free space on each page. A frequent update of `last_active_at`, which no index contains, then
    // stays on its page and changes no index.
    this.addSql(`create table ${SCHEMA}.users (
      org_id uuid not null,
      id uuid not null,
      email text not null check (char_length(email) between 3 and 320),
      email_key text collate "C" not null,
      name text collate "C" not null check (char_length(name) between 1 and 255),
      department text collate "C" null check (char_length(department) between 1 and 255),
      role text not null default 'member' check (char_length(role) between 1 and 64),
      status text not null default 'active' check (status in ('active', 'inactive', 'suspended')),
      suspension_causes text[] not null default '{}' check (suspension_causes <@ array['offboarding', 'scim']),
      suspended_at timestamptz null,
      departure_date text null,
      departs_at timestamptz null,
      departure_reason text null check (char_length(departure_reason) between 1 and 255),
      attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
      last_active_at timestamptz null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      change_version bigint not null,
      departure_ends_machine_tokens boolean not null default false,
      erased_at timestamptz null,
      primary key (org_id, id),
      constraint users_email_unique unique (org_id, email_key),
      constraint users_suspension_explained check (
        (status = 'suspended') = (cardinality(suspension_causes) > 0)
        and (status = 'suspended') = (suspended_at is not null)),
      constraint users_departure_dated check ((departure_date is null) = (departs_at is null))
    ) with (fillfactor = 85)`);
    this.addSql(`create index users_by_name on ${SCHEMA}.users (org_id, name, id)`);
    this.addSql(`create index users_by_status on ${SCHEMA}.users (org_id, status, name, id)`);
    this.addSql(`create index users_by_department on ${SCHEMA}.users (org_id, department, name, id)`);
    this.addSql(
      `create index users_by_department_and_status on ${SCHEMA}.users (org_id, department, status, name, id)`,
    );
    this.addSql(`create index users_by_change on ${SCHEMA}.users (org_id, change_version)`);
    this.addSql(`create index users_by_departure on ${SCHEMA}.users (org_id, departs_at) where departs_at is not null`);
    for (const statement of protectTable('users', 'select, insert, update')) this.addSql(statement);
  }
}
