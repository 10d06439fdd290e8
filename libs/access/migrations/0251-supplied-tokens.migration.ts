import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';

/** Lets the start and `doctor` find tokens of the operator that the settings do not name. */
export class SuppliedTokensMigration0251 extends Migration {
  override up(): void {
    const statements = crossOrganizationFunction(
      'supplied_tokens_besides(kept bytea)',
      `returns table (org_id uuid, id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select t.org_id, t.id from ${SCHEMA}.access_tokens t
             where t.expires_at is null and t.revoked_at is null and t.token_hash is distinct from kept
             order by t.org_id, t.id $$`,
      { access_tokens: ['org_id', 'id', 'token_hash', 'expires_at', 'revoked_at'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
