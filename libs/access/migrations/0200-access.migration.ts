import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, protectTable, SCHEMA } from '#database';

const LOOKED_UP = [
  'id',
  'org_id',
  'name',
  'role',
  'scopes',
  'token_hash',
  'user_id',
  'issued_by',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  'issued_by_nobody',
  'ends_with_users',
  'ends_with_tokens',
  'models',
  'project',
  'tags',
  'previous_hash',
  'previous_until',
];

const FOUND = `t.id, t.org_id, t.name, t.role, t.scopes, t.user_id, t.issued_by, t.issued_by_nobody, t.ends_with_users,
  extract(epoch from t.last_used_at) * 1000 as last_used_ms,
  t.revoked_at is not null or exists (
    select from ${SCHEMA}.access_tokens m
    where m.org_id = t.org_id and m.id = any (t.ends_with_tokens) and m.revoked_at is not null) as revoked,
  t.models, t.project, t.tags, t.created_at`;

// Selects the distinct key ids with one index lookup per key id. The cost depends on the number of key ids, not on the
// number of organizations.
const KEY_IDS = `
with recursive ids as (
  (select h.key_id from ${SCHEMA}.audit_heads h where h.key_id is not null order by h.key_id limit 1)
  union all
  select (select h.key_id from ${SCHEMA}.audit_heads h where h.key_id > ids.key_id order by h.key_id limit 1)
  from ids where ids.key_id is not null)
select ids.key_id from ids where ids.key_id is not null`;

/** Organizations, access tokens, the audit log with its heads, and request counts. */
export class AccessMigration0200 extends Migration {
  override up(): void {
    for (const statement of [...organizations(), ...accessTokens(), ...auditLog(), ...rateLimits()]) {
      this.addSql(statement);
    }
  }
}

function organizations(): string[] {
  return [
    `create table ${SCHEMA}.organizations (
      id uuid primary key,
      name text not null check (char_length(name) between 1 and 255),
      time_zone text not null default 'UTC',
      created_at timestamptz not null,
      sign_in_token_max_days smallint not null default 90 check (sign_in_token_max_days between 1 and 365),
      fiscal_year_first_month smallint not null default 1 check (fiscal_year_first_month between 1 and 12))`,
    ...protectTable('organizations', 'select, insert, update', 'id'),
  ];
}

function accessTokens(): string[] {
  return [
    `create table ${SCHEMA}.access_tokens (
      org_id uuid not null references ${SCHEMA}.organizations (id),
      id uuid not null,
      name text not null,
      role text not null,
      scopes text[],
      token_hash bytea not null check (octet_length(token_hash) = 32),
      user_id uuid,
      issued_by text[] not null default '{}',
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      issued_by_token uuid,
      ends_with_users uuid[] not null default '{}',
      ends_with_tokens uuid[] not null default '{}',
      issued_by_nobody boolean not null default false,
      models text[] null check (cardinality(models) between 1 and 100),
      project text collate "C" null,
      tags jsonb null check (jsonb_typeof(tags) = 'object'),
      rotated_at timestamptz null,
      previous_hash bytea null,
      previous_until timestamptz null,
      primary key (org_id, id),
      unique (org_id, token_hash),
      check ((previous_hash is null) = (previous_until is null)))`,
    // For lookups without an organization: a bearer credential does not name its organization.
    `create index access_tokens_by_hash on ${SCHEMA}.access_tokens (token_hash)`,
    `create index access_tokens_previous on ${SCHEMA}.access_tokens (previous_hash)
      where previous_hash is not null`,
    // Finds the tokens of a user who leaves.
    `create index access_tokens_of_user on ${SCHEMA}.access_tokens (org_id, user_id)
       where user_id is not null and revoked_at is null`,
    ...protectTable('access_tokens', 'select, insert, update'),
    ...crossOrganizationFunction(
      'access_token_of(hash bytea)',
      `returns table (id uuid, org_id uuid, name text, role text, scopes text[], user_id uuid, issued_by text[],
                      issued_by_nobody boolean, ends_with_users uuid[], expires_ms float8, last_used_ms float8,
                      revoked boolean, models text[], project text, tags jsonb)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select f.id, f.org_id, f.name, f.role, f.scopes, f.user_id, f.issued_by, f.issued_by_nobody,
                    f.ends_with_users, f.expires_ms, f.last_used_ms, f.revoked, f.models, f.project, f.tags
             from (select ${FOUND}, extract(epoch from t.expires_at) * 1000 as expires_ms
                   from ${SCHEMA}.access_tokens t where t.token_hash = hash
                   union all
                   select ${FOUND}, extract(epoch from least(t.expires_at, t.previous_until)) * 1000
                   from ${SCHEMA}.access_tokens t where t.previous_hash = hash) f
             order by f.created_at, f.id limit 1 $$`,
      { access_tokens: LOOKED_UP },
    ),
    // Used at boot and by `doctor`. Finds tokens of the operator whose secrets are no longer in the settings.
    ...crossOrganizationFunction(
      'supplied_tokens_besides(kept bytea)',
      `returns table (org_id uuid, id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select t.org_id, t.id from ${SCHEMA}.access_tokens t
             where t.expires_at is null and t.revoked_at is null and t.token_hash is distinct from kept
             order by t.org_id, t.id $$`,
      { access_tokens: ['org_id', 'id', 'token_hash', 'expires_at', 'revoked_at'] },
    ),
    ...crossOrganizationFunction(
      'expiring_tokens(moment timestamptz, soon timestamptz)',
      `returns bigint language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select count(*) from ${SCHEMA}.access_tokens t
             where t.revoked_at is null and t.expires_at > moment and t.expires_at <= soon $$`,
      { access_tokens: ['expires_at', 'revoked_at'] },
    ),
  ];
}

function auditLog(): string[] {
  return [
    // Uses json instead of jsonb, because the hash chain is computed over the exact text.
    `create table ${SCHEMA}.audit_log (
      org_id uuid not null references ${SCHEMA}.organizations (id),
      seq bigint not null,
      id uuid not null,
      occurred_at timestamptz not null,
      actor_kind text not null,
      actor_id text not null,
      actor_name text not null,
      actor_user_id uuid,
      address text,
      request_id text,
      action text not null,
      resource_type text not null,
      resource_id text not null,
      before json,
      after json,
      prev_hash bytea not null,
      hash bytea not null,
      salt bytea not null check (octet_length(salt) = 32),
      commitment bytea not null check (octet_length(commitment) = 32),
      primary key (org_id, seq))`,
    `create index audit_log_by_time on ${SCHEMA}.audit_log (org_id, occurred_at)`,
    `create index audit_log_by_resource on ${SCHEMA}.audit_log (org_id, resource_type, resource_id, seq)`,
    `create index audit_log_by_actor on ${SCHEMA}.audit_log (org_id, actor_id, seq)`,
    // The app may read and append rows. To erase a person, it may also change the content columns, which are not part
    // of the chain.
    ...protectTable(
      'audit_log',
      'select, insert, update (actor_id, actor_name, address, request_id, before, after, salt)',
    ),
    // The new commitment of each row that an erasure has changed. `redacted_by` is the log entry of the erasure, which
    // contains a digest of these rows.
    `create table ${SCHEMA}.audit_redactions (
      org_id uuid not null references ${SCHEMA}.organizations (id),
      seq bigint not null,
      redacted_by bigint not null,
      commitment bytea not null check (octet_length(commitment) = 32),
      primary key (org_id, seq, redacted_by))`,
    `create index audit_redactions_by_record on ${SCHEMA}.audit_redactions (org_id, redacted_by, seq)`,
    ...protectTable('audit_redactions', 'select, insert'),
    // The seal of a head (`mac`) is an HMAC with a key of the keyring. The database never receives the keys. The seal
    // is null if the head was written without the keyring. The log is then reported as broken until an operator seals
    // it. An anchor is a head that was sent to a webhook.
    `create table ${SCHEMA}.audit_heads (
      org_id uuid primary key references ${SCHEMA}.organizations (id),
      seq bigint not null,
      hash bytea not null,
      key_id text,
      mac bytea,
      anchored_at timestamptz,
      constraint audit_heads_seal check ((key_id is null) = (mac is null)))`,
    `create index audit_heads_by_key on ${SCHEMA}.audit_heads (key_id) where key_id is not null`,
    ...protectTable('audit_heads', 'select, insert, update'),
    ...crossOrganizationFunction(
      'audit_head_key_ids()',
      `returns setof text language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ ${KEY_IDS} $$`,
      { audit_heads: ['key_id'] },
    ),
    ...crossOrganizationFunction(
      'audit_heads_not_under(writing_key text)',
      `returns setof uuid language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select h.org_id from ${SCHEMA}.audit_heads h where h.key_id <> writing_key order by h.org_id $$`,
      { audit_heads: ['org_id', 'key_id'] },
    ),
  ];
}

function rateLimits(): string[] {
  return [
    // The table is unlogged, because the counts only matter for a minute and may be lost in a crash.
    `create unlogged table ${SCHEMA}.rate_limits (key varchar(255) primary key, points integer not null, expire bigint)`,
    `create index rate_limits_by_expiry on ${SCHEMA}.rate_limits (expire)`,
    `grant select, insert, update, delete on ${SCHEMA}.rate_limits to ${APP_ROLE}`,
  ];
}
