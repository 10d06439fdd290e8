import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, SCHEMA } from '#database';
import { IS_DUE } from '../tokens/token-warnings.sql.js';

/** The last warning that was sent about the expiry of a token. */
export class TokenWarningsMigration0222 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.access_tokens add column warned_days smallint null`);
    const statements = crossOrganizationFunction(
      'organizations_with_expiring_tokens(moment timestamptz)',
      `returns table (org_id uuid)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select distinct t.org_id from ${SCHEMA}.access_tokens t where ${IS_DUE('moment')} $$`,
      { access_tokens: ['org_id', 'expires_at', 'revoked_at', 'created_at', 'warned_days'] },
    );
    for (const statement of statements) this.addSql(statement);
  }
}
