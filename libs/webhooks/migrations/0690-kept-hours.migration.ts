import { Migration } from '@mikro-orm/migrations';
import { replaceCrossOrganizationFunction } from '#database';
import { FORGET_HOURS } from './forget-hours.sql.js';

/** Figures of webhooks are kept no less long than the floor of events. */
export class KeptHoursMigration0690 extends Migration {
  override up(): void {
    for (const statement of replaceCrossOrganizationFunction(...FORGET_HOURS)) this.addSql(statement);
  }
}
