import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** The month in which an organization's fiscal year begins. */
export class FiscalYearMigration0260 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.organizations add column fiscal_year_first_month smallint not null default 1
      check (fiscal_year_first_month between 1 and 12)`);
  }
}
