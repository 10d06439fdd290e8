import { Migration } from '@mikro-orm/migrations';
import { atLeastFloor, crossOrganizationFunction, LOOKUP_ROLE, SCHEMA } from '#database';

const PRUNE = `returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    kept_from timestamptz := ${SCHEMA}.now() - ${atLeastFloor(`'incidents'`, 'keep_days')} * interval '1 day';
    pruned bigint;
  begin
    if keep_days is null or keep_days < 1 then raise exception 'prune_incidents: keeps at least one day'; end if;
    with old as materialized (
      select i.org_id, i.id from ${SCHEMA}.incidents i
      where i.status = 'resolved' and i.resolved_at < kept_from and i.last_seen_at < kept_from
      order by i.resolved_at limit most),
    entries as (
      delete from ${SCHEMA}.incident_entries e using old
      where e.org_id = old.org_id and e.incident_id = old.id)
    -- An incident that somebody opens again meanwhile is looked at again, and stays.
    delete from ${SCHEMA}.incidents i using old
    where i.org_id = old.org_id and i.id = old.id and i.status = 'resolved' and i.resolved_at < kept_from;
    get diagnostics pruned = row_count;
    return pruned;
  end
  $$`;

/** Deletes resolved incidents at the end of their retention. */
export class IncidentRetentionMigration0351 extends Migration {
  override up(): void {
    const statements = [
      `create index incidents_resolved on ${SCHEMA}.incidents (resolved_at) where status = 'resolved'`,
      ...['incidents', 'incident_entries'].flatMap(table => [
        `grant delete on ${SCHEMA}.${table} to ${LOOKUP_ROLE}`,
        `create policy ${table}_prune on ${SCHEMA}.${table} for delete to ${LOOKUP_ROLE} using (true)`,
      ]),
      ...crossOrganizationFunction('prune_incidents(keep_days integer, most integer)', PRUNE, {
        incidents: ['org_id', 'id', 'status', 'resolved_at', 'last_seen_at'],
        incident_entries: ['org_id', 'incident_id'],
      }),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
