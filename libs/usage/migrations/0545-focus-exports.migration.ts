import { Migration } from '@mikro-orm/migrations';
import { protectTable, SCHEMA } from '#database';

/** The days that were exported as FOCUS files, with digests of their content. */
export class FocusExportsMigration0545 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.focus_exports (
      org_id uuid not null,
      day date not null,
      digest numeric not null,
      written_at timestamptz not null,
      primary key (org_id, day))`);
    for (const statement of protectTable('focus_exports', 'select, insert, update, delete')) this.addSql(statement);
  }
}
