import { Migration } from '@mikro-orm/migrations';
import { SCHEMA } from '#database';

/** Counts what is open by severity, and finds incidents by severity, model and provider. */
export class FoundIncidentsMigration0360 extends Migration {
  override up(): void {
    // Whether it is open and how bad it is rarely changes; what does with each occurrence stands in no index.
    this.addSql(`create index incidents_open on ${SCHEMA}.incidents (org_id, severity, id) where status = 'open'`);
    this.addSql(`create index incidents_of_severity on ${SCHEMA}.incidents (org_id, severity, id)`);
    this.addSql(`create index incidents_of_model on ${SCHEMA}.incidents (org_id, model, id)`);
    this.addSql(`create index incidents_of_provider on ${SCHEMA}.incidents (org_id, provider, id)`);
  }
}
