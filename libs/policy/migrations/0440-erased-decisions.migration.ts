import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, SCHEMA } from '#database';

/** Names of policies and budgets may name a person: an erasure changes them in the records of decisions too. */
export class ErasedDecisionsMigration0440 extends Migration {
  override up(): void {
    this.addSql(`grant update (policies, spend) on ${SCHEMA}.decisions to ${APP_ROLE}`);
  }
}
