import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** State of suspension and deletion of an organization. */
export class SuspensionMigration0223 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.organizations
      add column suspended_at timestamptz null,
      add column deletion jsonb null,
      add constraint organizations_deletion check (deletion is null or suspended_at is not null)`);
  }
}
