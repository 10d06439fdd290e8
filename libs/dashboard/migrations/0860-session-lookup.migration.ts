import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/**
 * Session secrets are random, so two digests are never equal, and the index need not be unique. A unique index across
 * organizations would prevent distributing the table by organization.
 */
export class DashboardMigration0860 extends Migration {
  override up(): void {
    this.addSql(`drop index ${SCHEMA}.dashboard_sessions_by_hash`);
    this.addSql(`create index dashboard_sessions_by_hash on ${SCHEMA}.dashboard_sessions (secret_hash)`);
  }
}
