import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** Data from identity providers about users, and their groups. */
export class ScimMigration0320 extends Migration {
  override up(): void {
    const parts = [users(), emails(), totals(), groups(), members(), renames()];
    for (const statement of parts.flat()) this.addSql(statement);
  }
}

function users(): string[] {
  return [
    // A user without a row here has no SCIM data yet.
    `create table ${SCHEMA}.scim_users (
      org_id uuid not null,
      user_id uuid not null,
      user_name text null,
      user_name_key text collate "C" null,
      external_id text collate "C" null,
      other_email_keys text[] not null default '{}',
      department text collate "C" null,
      assigned_department text collate "C" null,
      profile jsonb not null default '{}' check (jsonb_typeof(profile) = 'object'),
      was_inactive boolean not null default false,
      deleted_at timestamptz null,
      primary key (org_id, user_id),
      foreign key (org_id, user_id) references ${SCHEMA}.users (org_id, id),
      constraint scim_users_key_of_name check ((user_name is null) = (user_name_key is null))
    )`,
    `create index scim_users_by_name on ${SCHEMA}.scim_users (org_id, user_name_key)`,
    `create index scim_users_by_external_id on ${SCHEMA}.scim_users (org_id, external_id)`,
    `create index scim_users_deleted on ${SCHEMA}.scim_users (org_id, user_id) where deleted_at is not null`,
    ...protectTable('scim_users', 'select, insert, update'),
  ];
}

/**
 * Table in which users are found by their further addresses. An index on an array column would not help. Row-level
 * security allows only leakproof operators in index conditions, and array operators are not leakproof.
 */
function emails(): string[] {
  return [
    `create table ${SCHEMA}.scim_emails (
      org_id uuid not null,
      email_key text collate "C" not null,
      user_id uuid not null,
      primary key (org_id, email_key, user_id),
      foreign key (org_id, user_id) references ${SCHEMA}.scim_users (org_id, user_id) on delete cascade
    )`,
    `create index scim_emails_of_user on ${SCHEMA}.scim_emails (org_id, user_id)`,
    ...protectTable('scim_emails', 'select, insert, delete'),
    `create function ${SCHEMA}.keep_scim_emails() returns trigger language plpgsql as $$
      begin
        delete from ${SCHEMA}.scim_emails where org_id = new.org_id and user_id = new.user_id;
        insert into ${SCHEMA}.scim_emails (org_id, email_key, user_id)
          select distinct new.org_id, k.email_key, new.user_id from unnest(new.other_email_keys) as k (email_key);
        return null;
      end $$`,
    `create trigger scim_users_emails_added after insert on ${SCHEMA}.scim_users for each row
      when (cardinality(new.other_email_keys) > 0) execute function ${SCHEMA}.keep_scim_emails()`,
    `create trigger scim_users_emails_changed after update on ${SCHEMA}.scim_users for each row
      when (old.other_email_keys is distinct from new.other_email_keys) execute function ${SCHEMA}.keep_scim_emails()`,
  ];
}

/**
 * Number of users that identity providers see, and a version that is incremented when the number changes. RFC 7644
 * requires exact totals, and counting takes longer the more users there are. A writer of this row already holds the
 * lock on the version of the topic `users`, and so does not wait a second time.
 */
function totals(): string[] {
  const add = (change: string, source: string): string => `
    insert into ${SCHEMA}.scim_totals as t (org_id, users, version) ${change} ${source}
    on conflict (org_id) do update set users = t.users + excluded.users, version = t.version + 1;
    return null;`;
  const trigger = (name: string, definition: string, body: string): string[] => [
    `create function ${SCHEMA}.${name}() returns trigger language plpgsql as $$ begin ${body} end $$`,
    `create trigger ${name} ${definition} execute function ${SCHEMA}.${name}()`,
  ];
  return [
    `create table ${SCHEMA}.scim_totals (
      org_id uuid primary key,
      users bigint not null,
      version bigint not null
    )`,
    ...protectTable('scim_totals', 'select, insert, update'),
    ...trigger(
      'count_users_added',
      `after insert on ${SCHEMA}.users referencing new table as added for each statement`,
      add('select org_id, count(*), 1', 'from added group by org_id'),
    ),
    ...trigger(
      'count_scim_users_removed',
      `after insert on ${SCHEMA}.scim_users for each row when (new.deleted_at is not null)`,
      add('select new.org_id, -1, 1', ''),
    ),
    ...trigger(
      'count_scim_users_changed',
      `after update on ${SCHEMA}.scim_users for each row when ((old.deleted_at is null) <> (new.deleted_at is null))`,
      add('select new.org_id, case when new.deleted_at is null then 1 else -1 end, 1', ''),
    ),
  ];
}

function groups(): string[] {
  return [
    `create table ${SCHEMA}.scim_groups (
      org_id uuid not null,
      id uuid not null,
      display_name text collate "C" not null check (char_length(display_name) between 1 and 255),
      display_name_key text collate "C" not null,
      external_id text collate "C" null,
      version bigint not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      primary key (org_id, id),
      constraint scim_groups_name_unique unique (org_id, display_name_key)
    )`,
    `create index scim_groups_by_external_id on ${SCHEMA}.scim_groups (org_id, external_id)`,
    ...protectTable('scim_groups', 'select, insert, update, delete'),
  ];
}

function members(): string[] {
  return [
    `create table ${SCHEMA}.scim_group_members (
      org_id uuid not null,
      group_id uuid not null,
      user_id uuid not null,
      primary key (org_id, group_id, user_id),
      foreign key (org_id, group_id) references ${SCHEMA}.scim_groups (org_id, id) on delete cascade,
      foreign key (org_id, user_id) references ${SCHEMA}.users (org_id, id)
    )`,
    `create index scim_group_members_by_user on ${SCHEMA}.scim_group_members (org_id, user_id, group_id)`,
    ...protectTable('scim_group_members', 'select, insert, delete'),
  ];
}

/**
 * A group's representation contains the names of its members. Therefore, every change of a name increments the versions
 * of that user's groups.
 */
function renames(): string[] {
  return [
    `create function ${SCHEMA}.raise_groups_of_renamed() returns trigger language plpgsql as $$
    begin
      update ${SCHEMA}.scim_groups g set version = new.change_version, updated_at = new.updated_at
      where g.org_id = new.org_id and g.id in (
        select m.group_id from ${SCHEMA}.scim_group_members m where m.org_id = new.org_id and m.user_id = new.id);
      return null;
    end $$`,
    `create trigger raise_groups_of_renamed after update of name on ${SCHEMA}.users
      for each row when (old.name is distinct from new.name) execute function ${SCHEMA}.raise_groups_of_renamed()`,
  ];
}
