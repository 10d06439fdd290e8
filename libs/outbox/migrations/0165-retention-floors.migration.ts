import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';
import { KEEP_PARTITIONS } from './partition-functions.sql.js';
import { RETENTION_FLOORS } from './retention-floors.sql.js';

/** The fewest days for which tables are kept, and partitions kept no less long. */
export class RetentionFloorsMigration0165 extends Migration {
  override up(): void {
    for (const statement of RETENTION_FLOORS) this.addSql(statement);
    this.addSql(`create or replace function ${SCHEMA}.${KEEP_PARTITIONS[0]} ${KEEP_PARTITIONS[1]}`);
  }
}
