import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Finds the windows of budgets that are nearly or wholly spent among those of a hundred thousand people. */
export class WarnedWindowsMigration0545 extends Migration {
  override up(): void {
    // What is spent changes with every call and stands in no index: the row is rewritten on its page.
    this.addSql(`create index budget_windows_warned on ${SCHEMA}.budget_windows (org_id, window_end)
      where warned_at is not null or exceeded_at is not null`);
    this.addSql(`create index budgets_of_organization on ${SCHEMA}.budgets (org_id, id) where scope = 'organization'`);
  }
}
