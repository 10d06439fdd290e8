import { Migration } from '@mikro-orm/migrations';
import { atLeastFloor, crossOrganizationFunction, LOOKUP_ROLE, SCHEMA } from '#database';
import { changeTaskIdSql } from '../ticket-task.js';

/**
 * A ticket is over if one of these holds: it is closed or rejected on the platform, it is a test, or its incident is
 * resolved or deleted. A ticket with a pending change or an unknown outcome is never over.
 */
const IS_OVER = `t.sync_state in ('created', 'rejected') and t.change is null
  and (t.sync_state = 'rejected' or t.status in ('resolved', 'closed') or t.origin = 'test' or not exists (
    select from ${SCHEMA}.incidents i where i.org_id = t.org_id and i.id = t.incident_id and i.status <> 'resolved'))
  and not exists (
    select from ${SCHEMA}.tasks k where k.org_id = t.org_id and k.id in (t.id, ${changeTaskIdSql('t.id')}))`;

const PRUNE = `returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
  as $$
  declare
    kept_from timestamptz := ${SCHEMA}.now() - ${atLeastFloor(`'tickets'`, 'keep_days')} * interval '1 day';
    pruned bigint;
  begin
    if keep_days is null or keep_days < 1 then raise exception 'prune_tickets: keeps at least one day'; end if;
    with old as materialized (
      select t.org_id, t.id from ${SCHEMA}.tickets t where t.updated_at < kept_from and ${IS_OVER}
      order by t.updated_at limit most),
    reports as (
      delete from ${SCHEMA}.itsm_report_events e using old where e.org_id = old.org_id and e.ticket_id = old.id)
    -- A ticket that a report changes meanwhile is looked at again, and stays.
    delete from ${SCHEMA}.tickets t using old
    where t.org_id = old.org_id and t.id = old.id and t.updated_at < kept_from;
    get diagnostics pruned = row_count;
    return pruned;
  end
  $$`;

/** Deletes tickets that are over when their retention ends. */
export class TicketRetentionMigration0701 extends Migration {
  override up(): void {
    const statements = [
      `create index tickets_by_age on ${SCHEMA}.tickets (updated_at)`,
      ...['tickets', 'itsm_report_events'].flatMap(table => [
        `grant delete on ${SCHEMA}.${table} to ${LOOKUP_ROLE}`,
        `create policy ${table}_prune on ${SCHEMA}.${table} for delete to ${LOOKUP_ROLE} using (true)`,
      ]),
      ...crossOrganizationFunction('prune_tickets(keep_days integer, most integer)', PRUNE, {
        tickets: ['org_id', 'id', 'sync_state', 'status', 'origin', 'change', 'incident_id', 'updated_at'],
        itsm_report_events: ['org_id', 'ticket_id'],
      }),
    ];
    for (const statement of statements) this.addSql(statement);
  }
}
