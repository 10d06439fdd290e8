import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

const COLUMNS = `t.id, t.org_id, t.name, t.role, t.scopes, t.user_id, t.issued_by, t.issued_by_nobody, t.ends_with_users,
  extract(epoch from t.last_used_at) * 1000 as last_used_ms,
  t.revoked_at is not null or exists (
    select from ${SCHEMA}.access_tokens m
    where m.org_id = t.org_id and m.id = any (t.ends_with_tokens) and m.revoked_at is not null) as revoked,
  t.models, t.project, t.tags, t.created_at`;

/** For which models tokens may be used, what their requests count for, and the secret before the present one. */
export class TokenBoundsMigration0261 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.access_tokens
      add column models text[] null check (cardinality(models) between 1 and 100),
      add column project text collate "C" null,
      add column tags jsonb null check (jsonb_typeof(tags) = 'object'),
      add column rotated_at timestamptz null,
      add column previous_hash bytea null,
      add column previous_until timestamptz null,
      add check ((previous_hash is null) = (previous_until is null))`);
    this.addSql(`create index access_tokens_previous on ${SCHEMA}.access_tokens (previous_hash)
      where previous_hash is not null`);
    this.addSql(`drop function ${SCHEMA}.access_token_of(bytea)`);
    const statements = crossOrganizationFunction(
      'access_token_of(hash bytea)',
      `returns table (id uuid, org_id uuid, name text, role text, scopes text[], user_id uuid, issued_by text[],
                      issued_by_nobody boolean, ends_with_users uuid[], expires_ms float8, last_used_ms float8,
                      revoked boolean, models text[], project text, tags jsonb)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select f.id, f.org_id, f.name, f.role, f.scopes, f.user_id, f.issued_by, f.issued_by_nobody,
                    f.ends_with_users, f.expires_ms, f.last_used_ms, f.revoked, f.models, f.project, f.tags
             from (select ${COLUMNS}, extract(epoch from t.expires_at) * 1000 as expires_ms
                   from ${SCHEMA}.access_tokens t where t.token_hash = hash
                   union all
                   select ${COLUMNS}, extract(epoch from least(t.expires_at, t.previous_until)) * 1000
                   from ${SCHEMA}.access_tokens t where t.previous_hash = hash) f
             order by f.created_at, f.id limit 1 $$`,
      { access_tokens: ['models', 'project', 'tags', 'previous_hash', 'previous_until'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
