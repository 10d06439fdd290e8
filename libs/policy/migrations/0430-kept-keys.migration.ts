import { Migration } from '@mikro-orm/migrations';
import { replaceCrossOrganizationFunction } from '#database';
import { FORGET_KEYS } from './forget-keys.sql.js';

/** Idempotency keys are kept at least as long as the minimum retention of decisions. */
export class KeptKeysMigration0430 extends Migration {
  override up(): void {
    for (const statement of replaceCrossOrganizationFunction(...FORGET_KEYS)) this.addSql(statement);
  }
}
