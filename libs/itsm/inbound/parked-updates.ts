import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, type JsonObject } from '#core';
import { OrgDatabase, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import type { InboundUpdate } from '../adapter/ticket-state.js';
import { REPORT_SECRETS } from '../connectors/report-secret.js';
import { NewTickets, type CreatedTicket, type NewTicketWatcher } from '../tickets/new-tickets.js';
import { packUpdate, unpackUpdate, type ReportScope, type ReportSource } from './report.js';
import { TicketReports } from './ticket-reports.js';

/** Maximum number of parked reports of an organization; the oldest is evicted. */
const PARKED_MAX = 100;
/** Milliseconds for which a parked report is kept. */
const PARKED_MS = 10 * 60_000;

/** An array that contains null, for a report whose platform is unknown. */
const ANY_PLATFORM = '{NULL}';

// Makes parking and creating wait for each other, so that no report is parked after its ticket was created.
const LOCK = prepared(
  'parked_updates_alone',
  `select pg_advisory_xact_lock(hashtextextended('governance parked updates ' || $1, 0))`,
);

const KNOWN = `select 1 as known from ${SCHEMA}.tickets where org_id = $1 and external_ticket_id = $2 limit 1`;

// A ticket is in flight if a worker has leased it for an attempt, or if an attempt may have created it. A ticket that
// only waits, for its turn or for an inactive connector, does not exist on the platform, so no report can be about it.
const UNDER_WAY = `
select given.kind from unnest($3::text[]) as given(kind) where exists (
  select from ${SCHEMA}.tickets t join ${SCHEMA}.tasks k on k.org_id = t.org_id and k.id = t.id
  where t.org_id = $1 and t.external_ticket_id is null and t.sync_state in ('pending', 'uncertain')
    and ($2::uuid is null or t.connector_id = $2) and (given.kind is null or t.kind = given.kind)
    and t.connector_id <> all ($4::uuid[]) and k.quarantined_at is null
    and ((k.lease_token is not null and k.due_at > ${SCHEMA}.now())
      or ((k.lease_token is not null or t.sync_state = 'uncertain' or k.subject ->> 'phase' = 'find')
        and k.due_at <= ${SCHEMA}.now() + ${PARKED_MS} * interval '1 millisecond'
        and not exists (
          select from ${SCHEMA}.task_holds h where h.org_id = k.org_id and h.queue = k.queue and h.key = k.key))))`;

// A report that several platforms may have sent is parked for each platform that is creating a ticket.
const PARK = `
insert into ${SCHEMA}.itsm_parked_updates
  (org_id, external_ticket_id, connector_id, kind, update, source, received_at)
select $1, $2, $3, kind, $5::jsonb, $6::jsonb, $7 from unnest($4::text[]) as kind`;

const TIDY = `
delete from ${SCHEMA}.itsm_parked_updates p
where p.org_id = $1 and (p.received_at <= $2 or p.seq in (
  select o.seq from ${SCHEMA}.itsm_parked_updates o where o.org_id = $1 order by o.seq desc offset ${PARKED_MAX}))`;

// A report without a connector had no secret, so it applies only to connectors that have none.
const TAKE = prepared(
  'take_parked_updates',
  `
delete from ${SCHEMA}.itsm_parked_updates p using ${SCHEMA}.tickets t
where t.org_id = $1 and t.id = any ($2::uuid[]) and p.org_id = $1 and p.external_ticket_id = t.external_ticket_id
  and (p.kind is null or p.kind = t.kind)
  and (p.connector_id = t.connector_id or p.connector_id is null and not exists (
    select from ${SCHEMA}.itsm_connectors c
    where c.org_id = $1 and c.id = t.connector_id and c.secret_names && '{${REPORT_SECRETS.join()}}'::text[]))
returning t.id as ticket_id, p.seq::float8, p.update, p.source, p.received_at > $3 as in_time`,
);

interface ParkedRow {
  ticket_id: string;
  seq: number;
  update: JsonObject;
  source: JsonObject;
  in_time: boolean;
}

/**
 * Parks reports about tickets that are not stored yet, because a platform may report a change before it answers the
 * create request. Reports are parked only while a ticket is being created or searched for. They are kept for a few
 * minutes, and at most a hundred at a time.
 */
@Injectable()
export class ParkedUpdates implements OnModuleInit, NewTicketWatcher {
  constructor(
    private readonly database: OrgDatabase,
    private readonly reports: TicketReports,
    private readonly clock: Clock,
    private readonly newTickets: NewTickets,
  ) {}

  onModuleInit(): void {
    this.newTickets.addWatcher(this);
  }

  /**
   * Applies the reports that are parked for these tickets, oldest first. The external ids of the tickets have just been
   * stored.
   */
  async created(em: EntityManager, orgId: string, tickets: readonly CreatedTicket[]): Promise<void> {
    await em.flush();
    const tx = sqlOf(em);
    await tx.query(LOCK, [orgId.toLowerCase()]);
    const oldest = new Date(this.clock.now().getTime() - PARKED_MS);
    const rows = await tx.query<ParkedRow>(TAKE, [orgId, plainArray(tickets, ({ id }) => id), oldest]);
    const waiting = Map.groupBy(
      rows.filter(row => row.in_time),
      row => row.ticket_id,
    );
    for (const { id } of tickets) {
      for (const { update, source } of inOrder(waiting.get(id) ?? [])) {
        await this.reports.apply(em, orgId, id, update, source);
      }
    }
  }

  /**
   * Parks a report whose ticket was not found. `known`: the ticket was created meanwhile, so look for it again.
   * `unknown`: no ticket to which the report could belong is being created.
   */
  async park(
    orgId: string,
    update: InboundUpdate,
    { connectorId, kinds, closed = [] }: ReportScope,
    source: ReportSource,
  ): Promise<'parked' | 'known' | 'unknown'> {
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      await tx.query(LOCK, [orgId.toLowerCase()]);
      const { externalTicketId } = update;
      const connector = connectorId ?? null;
      const platforms = kinds ? textArray(kinds, kind => kind) : ANY_PLATFORM;
      if ((await tx.query(KNOWN, [orgId, externalTicketId])).length > 0) return 'known';
      const scope = [orgId, connector, platforms, plainArray(closed, id => id)];
      const creating = await tx.query<{ kind: string | null }>(UNDER_WAY, scope);
      if (creating.length === 0) return 'unknown';
      const waiting = kinds ? textArray(creating, ({ kind }) => kind) : ANY_PLATFORM;
      const now = this.clock.now();
      const kept = [JSON.stringify(packUpdate(update)), JSON.stringify(source)];
      await tx.query(PARK, [orgId, externalTicketId, connector, waiting, ...kept, now]);
      await tx.query(TIDY, [orgId, new Date(now.getTime() - PARKED_MS)]);
      return 'parked';
    });
  }
}

/** The rows are in the order of arrival. Reports with a time are sorted by their time. */
function inOrder(rows: readonly ParkedRow[]): { update: InboundUpdate; source: ReportSource }[] {
  const arrived = rows
    .toSorted((a, b) => a.seq - b.seq)
    .map(row => ({
      update: unpackUpdate(row.update),
      // Only park() writes this column.
      source: row.source as unknown as ReportSource,
    }));
  const timed = arrived
    .filter(({ update }) => update.occurredAt)
    .toSorted((a, b) => Number(a.update.occurredAt) - Number(b.update.occurredAt));
  let next = 0;
  return arrived.map(entry => (entry.update.occurredAt ? (timed[next++] ?? entry) : entry));
}
