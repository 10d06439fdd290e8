import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Stores which change of a ticket was tried last, when, and with which result. */
export class TicketChangesMigration0702 extends Migration {
  override up(): void {
    this.addSql(
      `alter table ${SCHEMA}.tickets
         add column change_kind text, add column change_result text, add column change_at timestamptz`,
    );
  }
}
