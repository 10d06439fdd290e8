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
];

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
      created_at timestamptz not null)`,
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
      primary key (org_id, id),
      unique (org_id, token_hash))`,
    // A bearer does not say which organization it belongs to.
    `create index access_tokens_by_hash on ${SCHEMA}.access_tokens (token_hash)`,
    ...protectTable('access_tokens', 'select, insert, update'),
    ...crossOrganizationFunction(
      'access_token_of(hash bytea)',
      `returns table (id uuid, org_id uuid, name text, role text, scopes text[], user_id uuid, issued_by text[],
                      expires_ms float8, last_used_ms float8, revoked boolean)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select t.id, t.org_id, t.name, t.role, t.scopes, t.user_id, t.issued_by,
                    extract(epoch from t.expires_at) * 1000, extract(epoch from t.last_used_at) * 1000,
                    t.revoked_at is not null
             from ${SCHEMA}.access_tokens t where t.token_hash = hash order by t.created_at, t.id limit 1 $$`,
      { access_tokens: LOOKED_UP },
    ),
  ];
}

function auditLog(): string[] {
  return [
    // json, not jsonb: it keeps the text byte for byte, and the chain is made over the text.
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
      primary key (org_id, seq))`,
    `create index audit_log_by_time on ${SCHEMA}.audit_log (org_id, occurred_at)`,
    `create index audit_log_by_resource on ${SCHEMA}.audit_log (org_id, resource_type, resource_id, seq)`,
    `create index audit_log_by_actor on ${SCHEMA}.audit_log (org_id, actor_id, seq)`,
    // Rows are added and read; the app has no right to change or remove one.
    ...protectTable('audit_log', 'select, insert'),
    `create table ${SCHEMA}.audit_heads (
      org_id uuid primary key references ${SCHEMA}.organizations (id),
      seq bigint not null,
      hash bytea not null)`,
    ...protectTable('audit_heads', 'select, insert, update'),
  ];
}

function rateLimits(): string[] {
  return [
    // Counts of the running minute: nothing is lost when a crash empties the table, so it writes no log.
    `create unlogged table ${SCHEMA}.rate_limits (key varchar(255) primary key, points integer not null, expire bigint)`,
    `create index rate_limits_by_expiry on ${SCHEMA}.rate_limits (expire)`,
    `grant select, insert, update, delete on ${SCHEMA}.rate_limits to ${APP_ROLE}`,
  ];
}
