import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

/** Who made a token, what ends with its maker, and how long tokens last that a sign-in makes. */
export class TokenMakersMigration0210 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.organizations
      add column sign_in_token_max_days smallint not null default 90 check (sign_in_token_max_days between 1 and 365)`);
    this.addSql(`alter table ${SCHEMA}.access_tokens
      add column issued_by_token uuid,
      add column ends_with_users uuid[] not null default '{}',
      add column ends_with_tokens uuid[] not null default '{}'`);
    this.addSql(`drop function ${SCHEMA}.access_token_of(bytea)`);
    const statements = crossOrganizationFunction(
      'access_token_of(hash bytea)',
      `returns table (id uuid, org_id uuid, name text, role text, scopes text[], user_id uuid, issued_by text[],
                      ends_with_users uuid[], expires_ms float8, last_used_ms float8, revoked boolean)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select t.id, t.org_id, t.name, t.role, t.scopes, t.user_id, t.issued_by, t.ends_with_users,
                    extract(epoch from t.expires_at) * 1000, extract(epoch from t.last_used_at) * 1000,
                    t.revoked_at is not null or exists (
                      select from ${SCHEMA}.access_tokens m
                      where m.org_id = t.org_id and m.id = any (t.ends_with_tokens) and m.revoked_at is not null)
             from ${SCHEMA}.access_tokens t where t.token_hash = hash order by t.created_at, t.id limit 1 $$`,
      { access_tokens: ['ends_with_users', 'ends_with_tokens'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
