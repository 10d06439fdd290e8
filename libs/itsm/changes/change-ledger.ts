import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId, type JsonObject } from '#core';
import { OrgDatabase, prepared, SCHEMA, sqlOf } from '#database';
import { addEntry } from '#incidents';
import { TaskQueue } from '#outbox';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { ChangeKind } from '../adapter/ticket-change.js';
import type { ChangeStep } from '../decide/after-update.js';
import { nextChange, type BegunChange } from '../decide/next-change.js';
import { TicketLedger } from '../delivery/ticket-ledger.js';
import type { ReadyConnector } from '../delivery/ticket-attempts.js';
import { asLastToldIn, lastToldAt } from '../tickets/last-told.sql.js';
import { isSameTicket } from '../tickets/same-ticket.sql.js';
import { changeTask } from '../ticket-task.js';
import { readStandings, type FollowedTicket } from './ticket-standings.sql.js';

/** Result of processing a ticket once. */
export interface EndedChange {
  readonly ticket: FollowedTicket;
  /** The kinds of changes that the platform supports. */
  readonly kinds: readonly ChangeKind[];
  /** The change that was sent. Missing if nothing was sent. */
  readonly change?: BegunChange;
  readonly step?: ChangeStep;
  /** The new id of the ticket, if the platform renamed it. */
  readonly movedTo?: TicketRef;
  /** Number of consecutive failed attempts. */
  readonly tries: number;
}

// Does not begin to resolve a ticket that has been reported as over since it was read.
const BEGIN = prepared(
  'begin_ticket_change',
  `update ${SCHEMA}.tickets set change = $3::jsonb where org_id = $1 and id = $2 and change is not distinct from $4::jsonb
     and not ($3::jsonb ->> 'kind' = 'resolve' and told ->> 'resolved' = 'true')
   returning id`,
);

// This is a separate statement, so that it sees a ticket that another transaction added while the first statement
// waited for its lock.
const IS_TAKEN_OVER = `
select 1 from ${SCHEMA}.tickets n join ${SCHEMA}.tickets t on t.org_id = $1 and t.id = $2
where n.org_id = $1 and n.follows = t.id
  and (n.sync_state in ('pending', 'uncertain') or ${isSameTicket('n', 't')}) limit 1`;

// A report that arrived during the request is newer than the result of the request, unless the time of the report says
// otherwise.
const IS_SET = `($6::text is not null
  and (status is not distinct from $7 or coalesce(${lastToldAt('t')} < $11::timestamptz, false)))`;

const SETTLE = `
update ${SCHEMA}.tickets t
set told = told || $3::jsonb, change = $4::jsonb, change_error = $5, change_kind = $12, change_result = $13,
  change_at = $8,
  status_at = case when ${IS_SET} and status is distinct from $6 then coalesce($11, $8) else status_at end,
  status = case when ${IS_SET} then $6 else status end,
  reported_event = case when ${IS_SET} and $11 > reported_at then null else reported_event end,
  reported_at = case when ${IS_SET} then greatest(reported_at, $11) else reported_at end,
  external_ticket_id = coalesce($9, external_ticket_id), url = coalesce($10, url), updated_at = $8
where org_id = $1 and id = $2`;

// Also updates the rows of earlier incidents that have the same ticket on the platform.
const SETTLE_OTHERS = `
update ${SCHEMA}.tickets p set external_ticket_id = t.external_ticket_id, url = t.url,
  status_at = case when $3::text is not null and p.status is distinct from $3::text then t.status_at else p.status_at end,
  status = coalesce($3::text, p.status), ${asLastToldIn('t', 'p')}
from ${SCHEMA}.tickets t
where t.org_id = $1 and t.id = $2 and p.org_id = $1 and p.connector_id = t.connector_id and ${isSameTicket('p', 't')}
  and p.id <> t.id and ($3::text is null or t.status = $3::text)
  and (p.status is distinct from coalesce($3::text, p.status) or p.external_ticket_id <> t.external_ticket_id
    or p.reported_at is distinct from greatest(p.reported_at, t.reported_at))`;

const NOTE = `update ${SCHEMA}.tickets set told = told || $3::jsonb where org_id = $1 and id = $2`;

// The ticket is as the change wanted it, so the result is the same as that of an answered request.
const END = `
update ${SCHEMA}.tickets
set told = told || $3::jsonb, change = null, change_error = null, change_kind = change ->> 'kind',
  change_result = 'made', change_at = $4
where org_id = $1 and id = $2 and change is not null`;

const SYSTEM = { kind: 'system', id: 'system', name: 'System' } as const;

/** Another worker has leased the ticket, or the ticket of a newer incident has replaced it. */
export class ChangeTakenError extends Error {}

/** Records changes of tickets. A change is recorded before it is sent, and again when its outcome is known. */
@Injectable()
export class ChangeLedger {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly tasks: TaskQueue,
    private readonly tickets: TicketLedger,
  ) {}

  /**
   * Records that a change is about to be sent. If its outcome is never recorded, the next attempt repeats the change.
   * @throws ChangeTakenError
   * @throws ConnectorChangedError if the connector has changed since it was read
   */
  async begin(connector: ReadyConnector, { id, standing }: FollowedTicket, change: BegunChange): Promise<void> {
    await this.tickets.assertUnchanged(connector);
    const { orgId } = connector;
    const before = standing.begun === null ? null : JSON.stringify(standing.begun);
    await this.database.transaction(orgId, async em => {
      const begun = await sqlOf(em).query(BEGIN, [orgId, id, JSON.stringify(change), before]);
      if (begun.length === 0) throw new ChangeTakenError(`ticket ${id} is held by another worker`);
      const taken = standing.begun === null ? await sqlOf(em).query(IS_TAKEN_OVER, [orgId, id]) : [];
      if (taken.length > 0) throw new ChangeTakenError(`ticket ${id} was taken over`);
    });
  }

  /**
   * Stores the results of tasks in the transaction that ends these tasks. Adds a new task if the ticket needs another
   * change.
   */
  async settle(em: EntityManager, orgId: string, all: readonly EndedChange[]): Promise<void> {
    const now = this.clock.now();
    for (const ended of all) await this.write(em, orgId, ended, now);
    const ids = all.map(({ ticket }) => ticket.id);
    const standings = await readStandings(em, orgId, ids);
    for (const { ticket, kinds, step, tries } of all) {
      const after = standings.get(ticket.id);
      if (after) await this.goOn(em, orgId, after, { kinds, step, tries }, now);
    }
  }

  private async write(em: EntityManager, orgId: string, ended: EndedChange, now: Date): Promise<void> {
    const { ticket, change, step, movedTo } = ended;
    if (!step || !change) return;
    const { result, told, begun, error, status, statusAt } = step;
    await sqlOf(em).query(SETTLE, [
      ...[orgId, ticket.id, JSON.stringify(told), begun === null ? null : JSON.stringify(begun), error],
      ...[status ?? null, ticket.standing.status, now, movedTo?.externalTicketId ?? null, movedTo?.url ?? null],
      ...[statusAt ?? null, change.kind, result],
    ]);
    if (status !== undefined || movedTo) {
      await sqlOf(em).query(SETTLE_OTHERS, [orgId, ticket.id, status ?? null]);
    }
    if (!step.isOver || step.isStillHidden) return;
    const data = entryOf(ticket, change, step);
    const { incidentId } = ticket;
    await addEntry(em, orgId, { incidentId, id: newId(now), kind: 'ticket', at: now, actor: SYSTEM, data });
  }

  /** Reads the incident again, because it may have changed since the task was loaded. */
  private async goOn(
    em: EntityManager,
    orgId: string,
    ticket: FollowedTicket,
    { kinds, step, tries }: Pick<EndedChange, 'kinds' | 'step' | 'tries'>,
    now: Date,
  ): Promise<void> {
    const next = nextChange(ticket.standing, now, kinds);
    if (next.kind === 'note') {
      const noted = [orgId, ticket.id, JSON.stringify(next.told)];
      await (next.ends ? sqlOf(em).query(END, [...noted, now]) : sqlOf(em).query(NOTE, noted));
    }
    if (next.kind === 'none' || next.kind === 'note') return;
    const least = step?.againAfterMs ?? 0;
    const afterMs = next.kind === 'wait' ? Math.max(least, next.milliseconds) : least;
    await this.tasks.schedule(em, orgId, changeTask(ticket, tries), afterMs);
  }
}

function entryOf(ticket: FollowedTicket, change: BegunChange, { result, error }: ChangeStep): JsonObject {
  const { externalTicketId, url = null } = ticket.ref;
  const { kind, occurrences, severity } = change;
  return {
    ...{ change: kind, result, ticket_id: ticket.id, connector_id: ticket.connectorId },
    ...{ external_ticket_id: externalTicketId, url, occurrences, severity },
    ...(error !== null && { error }),
  };
}
