import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';
import { KEEP_USAGE_PARTITIONS } from '../storage/partition-function.sql.js';

/** Usage events are kept no less long than their floor. */
export class KeptUsageMigration0590 extends Migration {
  override up(): void {
    this.addSql(`create or replace function ${SCHEMA}.${KEEP_USAGE_PARTITIONS[0]} ${KEEP_USAGE_PARTITIONS[1]}`);
  }
}
