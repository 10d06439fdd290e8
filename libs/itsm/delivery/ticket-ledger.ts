import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, type JsonObject } from '#core';
import { OrgDatabase, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import { asLastToldIn, lastToldAt } from '../tickets/last-told.sql.js';
import { isSameTicket } from '../tickets/same-ticket.sql.js';
import { NewTickets } from '../tickets/new-tickets.js';
import type { BreakerView } from './connector-breaker.js';
import { reportIn } from './earlier-tickets.sql.js';
import { ConnectorProblems, type EndedAttempt } from './connector-problems.js';
import type { TicketResult } from '../decide/next-step.js';
import type { DueTicket } from './ticket-attempts.js';

// Updates only tickets that are in flight. A ticket whose outcome was recorded meanwhile is not changed.
const WRITE = `
with ended as (
  select * from jsonb_to_recordset($2::jsonb) as e (id uuid, sync_state text, attempted integer, answered integer, external_ticket_id text,
    platform_id text, url text, degraded text[], error_code text, error text, error_fields jsonb)),
locked as (select t.id from ${SCHEMA}.tickets t join ended e on t.org_id = $1 and t.id = e.id order by t.id for update of t)
update ${SCHEMA}.tickets t
set sync_state = e.sync_state, attempts = t.attempts + e.attempted, unanswered = greatest(0, t.unanswered - e.answered),
  external_ticket_id = e.external_ticket_id,
  platform_id = e.platform_id, url = e.url, degraded = e.degraded, error_code = e.error_code, error = e.error,
  error_fields = e.error_fields, status = case when e.sync_state = 'created' then 'open' end,
  status_at = null, updated_at = $3
from ended e join locked l on l.id = e.id
where t.org_id = $1 and t.id = e.id and t.sync_state in ('pending', 'uncertain')
returning t.id, t.connector_id as "connectorId", t.external_ticket_id as "externalTicketId"`;

// A reopened ticket keeps the priority of the earlier incident. If the new priority is higher, a later change sets it.
const REOPENED = `
update ${SCHEMA}.tickets t
set told = t.told || jsonb_build_object('severity', coalesce(p.told ->> 'severity', p.draft ->> 'severity'))
from ${SCHEMA}.tickets p
where t.org_id = $1 and t.id = any ($2::uuid[]) and p.org_id = $1 and p.id = t.follows and t.told is not null`;

// A report that arrived while the ticket was being reopened is newer than the reopening, unless the time of the report
// says otherwise.
const AS_REPORTED = `
update ${SCHEMA}.tickets t set status = p.status, status_at = p.status_at, resolution = p.resolution,
  reported_at = p.reported_at, reported_event = p.reported_event
from ${SCHEMA}.tickets p, jsonb_to_recordset($2::jsonb) as e (id uuid, report text, at timestamptz)
where t.org_id = $1 and t.id = e.id and p.org_id = $1 and p.id = t.follows and ${reportIn('p')} <> e.report
  and not coalesce(${lastToldAt('p')} < e.at, false)
returning t.id`;

// A report that is older than the last one is outdated for the row of the new incident, too. A ticket on which somebody
// already works stays in progress, because reopening it changes nothing.
const REPORTED_BEFORE = `
update ${SCHEMA}.tickets t
set status = case when p.status = 'in_progress' then p.status else t.status end,
  status_at = case when p.status = 'in_progress' then p.status_at else t.status_at end,
  reported_event = case when e.at > p.reported_at then null else p.reported_event end,
  reported_at = greatest(p.reported_at, e.at)
from ${SCHEMA}.tickets p, jsonb_to_recordset($2::jsonb) as e (id uuid, at timestamptz)
where t.org_id = $1 and t.id = e.id and p.org_id = $1 and p.id = t.follows`;

// All rows that stand for one ticket on the platform.
const OPEN_AGAIN = `
update ${SCHEMA}.tickets p set status = 'open', status_at = $3, resolution = null,
  external_ticket_id = t.external_ticket_id, url = t.url, ${asLastToldIn('t', 'p')}
from ${SCHEMA}.tickets t
where t.org_id = $1 and t.id = any ($2::uuid[]) and p.org_id = $1 and p.connector_id = t.connector_id
  and ${isSameTicket('p', 't')} and p.id <> t.id and p.status in ('resolved', 'closed')`;

const AS_READ = prepared(
  'connector_as_read',
  `select id from ${SCHEMA}.itsm_connectors where org_id = $1 and id = $2 and active and revision = $3`,
);

// Returns no row if the ticket was withdrawn, or if another worker has begun a request for it. In these cases, `begin`
// throws.
const BEGIN = prepared(
  'begin_ticket',
  `
update ${SCHEMA}.tickets set unanswered = unanswered + 1
where org_id = $1 and id = $2 and unanswered = $3 and sync_state in ('pending', 'uncertain')
returning id`,
);

const NAME_OTHERS = `
update ${SCHEMA}.tickets t
set degraded = t.degraded || array(select other from unnest($3::text[]) other where other <> all (t.degraded)),
  updated_at = case when $3::text[] <@ t.degraded then t.updated_at else $4 end
where t.org_id = $1 and t.id = $2 and t.sync_state = 'created'`;

/**
 * Thrown if the connector was deactivated, changed or deleted since it was read. Nothing must be sent with the old
 * settings.
 */
export class ConnectorChangedError extends Error {
  constructor(id: string) {
    super(`the connector ${id} has changed`);
  }
}

/** Writes the outcomes of attempts to the tickets and to their connectors. */
@Injectable()
export class TicketLedger {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly news: NewTickets,
    private readonly connectors: ConnectorProblems,
  ) {}

  /**
   * Records that a create request for a ticket is about to be sent. If its outcome is never recorded, the ledger still
   * knows that a ticket may exist.
   * @param connector the connector, which must not have changed since it was read
   * @throws Error if the ticket is no longer needed, or another worker has sent a request for it
   * @throws ConnectorChangedError
   */
  async begin(
    orgId: string,
    { id, unanswered }: Pick<DueTicket, 'id' | 'unanswered'>,
    connector?: BreakerView,
  ): Promise<void> {
    const begun = await this.database.transaction(orgId, async em => {
      if (connector) await this.assertAsRead(em, connector);
      return sqlOf(em).query(BEGIN, [orgId, id, unanswered]);
    });
    if (begun.length === 0) throw new Error(`ticket ${id} is held by another worker, or settled`);
  }

  /**
   * Locks the connector.
   * @throws ConnectorChangedError if the connector is inactive, or has changed since it was read
   */
  async assertUnchanged(connector: BreakerView): Promise<void> {
    await this.database.transaction(connector.orgId, em => this.assertAsRead(em, connector));
  }

  private async assertAsRead(em: EntityManager, { orgId, id, revision }: BreakerView): Promise<void> {
    const found = await sqlOf(em).query(AS_READ, [orgId, id, revision]);
    if (found.length === 0) throw new ConnectorChangedError(id);
  }

  /** Records the results of attempts of one organization in the caller's transaction. */
  async settle(em: EntityManager, orgId: string, all: readonly EndedAttempt[]): Promise<void> {
    const now = this.clock.now();
    for (const { ticketId, result } of all.filter(({ result }) => result?.isLastLook)) {
      const others = textArray(result?.degraded ?? [], text => text);
      await sqlOf(em).query(NAME_OTHERS, [orgId, ticketId, others, now]);
    }
    const ended = all.filter(({ result }) => !result?.isLastLook);
    const results = ended.flatMap(({ ticketId, result }) => (result ? [rowOf(ticketId, result)] : []));
    if (results.length === 0) return;
    const written = await sqlOf(em).query<WrittenTicket>(WRITE, [orgId, JSON.stringify(results), now]);
    await this.reopen(em, orgId, ended, now);
    const created = written.flatMap(({ externalTicketId, ...ticket }) =>
      externalTicketId === null ? [] : [{ ...ticket, externalTicketId }],
    );
    await this.connectors.settle(em, orgId, ended);
    // This comes last, because it locks the audit log. Changes of connectors lock in the same order.
    await this.news.tell(em, orgId, created);
  }

  private async reopen(em: EntityManager, orgId: string, ended: readonly EndedAttempt[], now: Date): Promise<void> {
    const reopened = ended.flatMap(({ ticketId: id, result }) =>
      result?.reopenedAfter === undefined
        ? []
        : [{ id, report: result.reopenedAfter, at: result.reopenedAt?.toISOString() ?? null }],
    );
    if (reopened.length === 0) return;
    await sqlOf(em).query(REOPENED, [orgId, plainArray(reopened, ({ id }) => id)]);
    const reported = await sqlOf(em).query<{ id: string }>(AS_REPORTED, [orgId, JSON.stringify(reopened)]);
    const isReported = new Set(reported.map(({ id }) => id));
    const opened = reopened.filter(({ id }) => !isReported.has(id));
    await sqlOf(em).query(REPORTED_BEFORE, [orgId, JSON.stringify(opened)]);
    await sqlOf(em).query(OPEN_AGAIN, [orgId, plainArray(opened, ({ id }) => id), now]);
  }
}

interface WrittenTicket {
  id: string;
  connectorId: string;
  externalTicketId: string | null;
}

function rowOf(id: string, result: TicketResult): JsonObject {
  const { ref, fields } = result;
  return {
    id,
    sync_state: result.syncState,
    attempted: result.attempted ? 1 : 0,
    answered: result.answered ?? 0,
    external_ticket_id: ref?.externalTicketId ?? null,
    platform_id: ref?.platformId ?? null,
    url: ref?.url ?? null,
    degraded: [...(result.degraded ?? [])],
    error_code: result.errorCode ?? null,
    error: result.error ?? null,
    error_fields: fields === undefined ? null : { ...fields },
  };
}
