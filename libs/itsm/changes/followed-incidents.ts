import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SEVERITIES } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import { IncidentRecorder, type IncidentConsumer } from '#incidents';
import { TaskQueue } from '#outbox';
import { AdapterRegistry } from '../connectors/adapter-registry.js';
import { LOOKED_FOR_DAYS } from '../decide/next-change.js';
import { CHANGE_QUEUE, changeTaskIdSql } from '../ticket-task.js';
import { NewTickets, type CreatedTicket, type NewTicketWatcher } from '../tickets/new-tickets.js';
import { ReopenedTickets, type ReopenedTicketWatcher } from '../tickets/reopened-tickets.js';

// Adds tasks for tickets whose platform does not know the current severity, count or end of the incident. Brings an
// existing task forward only for urgent changes. The upsert always locks the conflicting row. If a worker ends that
// task at the same time, there are two cases. Either the worker commits first, and the task is added again. Or the
// worker waits and then sees the current incident.
const SEVERITY_ORDER = `array['${SEVERITIES.join("', '")}']`;
const IS_WORSE = `array_position(${SEVERITY_ORDER}, i.severity) < array_position(${SEVERITY_ORDER}, t.told ->> 'severity')`;
const IS_URGENT = `(i.status = 'resolved' or ${IS_WORSE})`;
// Excludes tickets that people have declined, and tickets that the platform has not shown for a month. Nothing is sent
// to them.
const IS_LEFT_ALONE = `((t.told #>> '{hidden,since}')::timestamptz
    < ${SCHEMA}.now() - interval '${LOOKED_FOR_DAYS} days'
  or t.told ->> 'ended' = 'declined' and t.status in ('resolved', 'closed') and i.status <> 'resolved')`;

const wakeSql = (which: string, isUrgent = IS_URGENT) => `
insert into ${SCHEMA}.tasks as k (org_id, id, queue, key, due_at, attempt, subject)
select $1, ${changeTaskIdSql('t.id')}, '${CHANGE_QUEUE}', t.connector_id::text, ${SCHEMA}.now(), 1,
  jsonb_build_object('ticket_id', t.id, 'urgent', ${isUrgent})
from ${SCHEMA}.incidents i join ${SCHEMA}.tickets t on t.org_id = i.org_id and t.incident_id = i.id
where i.org_id = $1 and t.org_id = $1 and ${which} and t.sync_state = 'created' and t.told is not null
  and t.kind = any ($3::text[]) and t.told ->> 'resolved' = 'false' and ${IS_LEFT_ALONE} is not true
  and (${IS_URGENT} or (t.told ->> 'occurrences')::bigint < i.occurrences)
order by t.id
on conflict (org_id, id) do update set due_at = excluded.due_at
where k.lease_token is null and k.quarantined_at is null and k.due_at > excluded.due_at
  and excluded.subject ->> 'urgent' = 'true' and k.subject ->> 'tries' = '0'
returning 1 as woken`;

// An inactive incident ends when the next incident with the same key begins.
const OF_INCIDENTS = prepared(
  'wake_changes_of_incidents',
  wakeSql(`(i.id = any ($2::uuid[]) or i.id in (
    select f.follows from ${SCHEMA}.incidents f where f.org_id = $1 and f.id = any ($2::uuid[])))`),
);

const OF_TICKETS = prepared('wake_changes_of_tickets', wakeSql('t.id = any ($2::uuid[])', 'true'));

/** Adds tasks for tickets whose incidents have changed. Workers start them after the transaction has committed. */
@Injectable()
export class FollowedIncidents implements IncidentConsumer, NewTicketWatcher, ReopenedTicketWatcher, OnModuleInit {
  private readonly kinds: readonly string[];

  constructor(
    private readonly incidents: IncidentRecorder,
    private readonly newTickets: NewTickets,
    private readonly reopenedTickets: ReopenedTickets,
    private readonly tasks: TaskQueue,
    adapters: AdapterRegistry,
  ) {
    this.kinds = adapters.all.filter(adapter => adapter.update !== undefined).map(({ kind }) => kind);
  }

  onModuleInit(): void {
    if (this.kinds.length === 0) return;
    this.incidents.addConsumer(this);
    this.newTickets.addWatcher(this);
    this.reopenedTickets.addWatcher(this);
  }

  async opened(): Promise<void> {}

  async changed(em: EntityManager, orgId: string, incidentIds: readonly string[]): Promise<void> {
    await this.wake(em, orgId, OF_INCIDENTS, incidentIds);
  }

  /** Adds tasks for new tickets, because an incident may have changed while its ticket was being created. */
  async created(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void> {
    const ids = tickets.map(({ id }) => id);
    await this.wake(em, orgId, OF_TICKETS, ids);
  }

  /**
   * Adds tasks for tickets that people reopened or that the platform shows again, because their incidents may have
   * changed meanwhile.
   */
  async reopened(em: EntityManager, orgId: string, ticketIds: readonly string[]): Promise<void> {
    await this.wake(em, orgId, OF_TICKETS, ticketIds);
  }

  private async wake(em: EntityManager, orgId: string, sql: typeof OF_TICKETS, ids: readonly string[]): Promise<void> {
    const values = [orgId, plainArray(ids, id => id), textArray(this.kinds, kind => kind)];
    const woken = await sqlOf(em).query(sql, values);
    if (woken.length > 0) await this.tasks.wake(em, CHANGE_QUEUE);
  }
}
