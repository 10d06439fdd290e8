import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

/** Which tokens were made by a credential that no person was behind, at any distance. */
export class IssuedByNobodyMigration0250 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.access_tokens add column issued_by_nobody boolean not null default false`);
    this.addSql(`
      with recursive tainted (org_id, id) as (
        select t.org_id, t.id from ${SCHEMA}.access_tokens t
        join ${SCHEMA}.access_tokens m on m.org_id = t.org_id and m.id = t.issued_by_token and m.user_id is null
        union
        select t.org_id, t.id from ${SCHEMA}.access_tokens t
        join tainted m on m.org_id = t.org_id and m.id = t.issued_by_token)
      update ${SCHEMA}.access_tokens t set issued_by_nobody = true from tainted
      where t.org_id = tainted.org_id and t.id = tainted.id`);
    this.addSql(`drop function ${SCHEMA}.access_token_of(bytea)`);
    const statements = crossOrganizationFunction(
      'access_token_of(hash bytea)',
      `returns table (id uuid, org_id uuid, name text, role text, scopes text[], user_id uuid, issued_by text[],
                      issued_by_nobody boolean, ends_with_users uuid[], expires_ms float8, last_used_ms float8,
                      revoked boolean)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select t.id, t.org_id, t.name, t.role, t.scopes, t.user_id, t.issued_by, t.issued_by_nobody,
                    t.ends_with_users, extract(epoch from t.expires_at) * 1000,
                    extract(epoch from t.last_used_at) * 1000,
                    t.revoked_at is not null or exists (
                      select from ${SCHEMA}.access_tokens m
                      where m.org_id = t.org_id and m.id = any (t.ends_with_tokens) and m.revoked_at is not null)
             from ${SCHEMA}.access_tokens t where t.token_hash = hash order by t.created_at, t.id limit 1 $$`,
      { access_tokens: ['issued_by_nobody'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
