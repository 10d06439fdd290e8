import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Whether an organization is suspended, and how far its deletion is. */
export class SuspensionMigration0223 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.organizations
      add column suspended_at timestamptz null,
      add column deletion jsonb null,
      add constraint organizations_deletion check (deletion is null or suspended_at is not null)`);
  }
}
