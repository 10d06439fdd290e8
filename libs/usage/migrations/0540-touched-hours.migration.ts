import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

/** The hours in which usage has changed. Readers of the rollups use them to find changed rows. */
export class TouchedHoursMigration0540 extends Migration {
  override up(): void {
    // One row per organization and hour. Every batch updates it, so pages keep free space.
    this.addSql(`create table ${SCHEMA}.usage_touched_hours (
      org_id uuid not null,
      hour timestamptz not null,
      touches bigint not null,
      primary key (org_id, hour)) with (fillfactor = 50)`);
    for (const statement of protectTable('usage_touched_hours', 'select, insert, update, delete')) {
      this.addSql(statement);
    }
    const touched = crossOrganizationFunction(
      'organizations_with_touched_hours(after uuid, most integer)',
      `returns table (org_id uuid) language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select distinct t.org_id from ${SCHEMA}.usage_touched_hours t where t.org_id > after
             order by t.org_id limit most $$`,
      { usage_touched_hours: ['org_id'] },
    );
    for (const statement of touched) this.addSql(statement);
  }
}
