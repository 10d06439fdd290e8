import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

/** Browser sessions of the dashboard. */
export class DashboardMigration0850 extends Migration {
  override up(): void {
    const statements = [
      `create table ${SCHEMA}.dashboard_sessions (
        org_id uuid not null references ${SCHEMA}.organizations (id),
        id uuid not null,
        secret_hash bytea not null check (octet_length(secret_hash) = 32),
        token_id uuid,
        identity jsonb,
        credential_id text not null,
        name text not null,
        user_id uuid,
        address text,
        user_agent text,
        created_at timestamptz not null,
        last_input_at timestamptz not null,
        expires_at timestamptz not null,
        ended_at timestamptz,
        primary key (org_id, id),
        constraint dashboard_sessions_credential check ((token_id is null) <> (identity is null)),
        foreign key (org_id, token_id) references ${SCHEMA}.access_tokens (org_id, id))`,
      // Not by organization: a browser does not send the id of its organization.
      `create unique index dashboard_sessions_by_hash on ${SCHEMA}.dashboard_sessions (secret_hash)`,
      `create index dashboard_sessions_of_user on ${SCHEMA}.dashboard_sessions (org_id, user_id)
       where ended_at is null`,
      `create index dashboard_sessions_of_token on ${SCHEMA}.dashboard_sessions (org_id, token_id)
       where ended_at is null`,
      `create index dashboard_sessions_by_expiry on ${SCHEMA}.dashboard_sessions (org_id, expires_at)`,
      ...protectTable('dashboard_sessions', 'select, insert, update, delete'),
      ...crossOrganizationFunction(
        'dashboard_session_of(hash bytea)',
        `returns table (org_id uuid, id uuid, token_hash bytea, identity jsonb, user_id uuid, credential_id text,
                        created_ms float8, last_input_ms float8, expires_ms float8)
         language sql stable security definer set search_path = pg_catalog, pg_temp
         as $$ select s.org_id, s.id, t.token_hash, s.identity, s.user_id, s.credential_id,
                      extract(epoch from s.created_at) * 1000, extract(epoch from s.last_input_at) * 1000,
                      extract(epoch from s.expires_at) * 1000
               from ${SCHEMA}.dashboard_sessions s
               left join ${SCHEMA}.access_tokens t on t.org_id = s.org_id and t.id = s.token_id
               where s.secret_hash = hash and s.ended_at is null $$`,
        {
          dashboard_sessions: [
            ...['org_id', 'id', 'secret_hash', 'token_id', 'identity', 'user_id', 'credential_id'],
            ...['created_at', 'last_input_at', 'expires_at', 'ended_at'],
          ],
        },
      ),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
