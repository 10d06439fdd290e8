import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** When the end of an audit log was last sent out. */
export class AuditAnchorsMigration0241 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.audit_heads add column anchored_at timestamptz`);
  }
}
