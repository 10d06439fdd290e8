import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Lists the deliveries of all webhooks, and finds those of one event. */
export class AllDeliveriesMigration0692 extends Migration {
  override up(): void {
    this.addSql(`create index webhook_deliveries_newest on ${SCHEMA}.webhook_deliveries (org_id, id)`);
    this.addSql(`create index webhook_deliveries_of_event on ${SCHEMA}.webhook_deliveries (org_id, event_id)`);
  }
}
