import { Migration } from '@mikro-orm/migrations';
import { replaceCrossOrganizationFunction } from '#database';
import { CLAIM_TASKS, RELEASE_TASKS, RENEW_TASKS } from './task-functions.sql.js';

/** A lease lasts ten minutes at most, whoever asks for it, and a task that is released is due at once. */
export class BoundedLeasesMigration0166 extends Migration {
  override up(): void {
    for (const [signature, definition] of [CLAIM_TASKS, RENEW_TASKS, RELEASE_TASKS]) {
      for (const statement of replaceCrossOrganizationFunction(signature, definition)) this.addSql(statement);
    }
  }
}
