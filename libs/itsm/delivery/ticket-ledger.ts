import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, type JsonObject } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { ConnectorWork } from '../connectors/connector-work.js';
import { NewTickets } from '../tickets/new-tickets.js';
import { ConnectorBreaker, PAUSE_MS, type BreakerView } from './connector-breaker.js';
import type { TicketResult } from './decide/next-step.js';

/** What came of one attempt for one ticket. Without a result nothing was attempted. */
export interface EndedAttempt {
  readonly ticketId: string;
  readonly connector: BreakerView;
  readonly result?: TicketResult;
}

// Only what is on its way: what was settled otherwise meanwhile stays.
const WRITE = `
with ended as (
  select * from jsonb_to_recordset($2::jsonb) as e (id uuid, sync_state text, attempted integer, external_ticket_id text,
    platform_id text, url text, degraded text[], error_code text, error text, error_fields jsonb)),
locked as (select t.id from ${SCHEMA}.tickets t join ended e on t.org_id = $1 and t.id = e.id order by t.id for update of t)
update ${SCHEMA}.tickets t
set sync_state = e.sync_state, attempts = t.attempts + e.attempted, external_ticket_id = e.external_ticket_id,
  platform_id = e.platform_id, url = e.url, degraded = e.degraded, error_code = e.error_code, error = e.error,
  error_fields = e.error_fields, status = case when e.sync_state = 'created' then 'open' end,
  status_at = null, updated_at = $3
from ended e join locked l on l.id = e.id
where t.org_id = $1 and t.id = e.id and t.sync_state in ('pending', 'uncertain')
returning t.id, t.connector_id as "connectorId", t.external_ticket_id as "externalTicketId"`;

const TROUBLE = `
update ${SCHEMA}.itsm_connectors
set problem_code = $4, problem_message = $5, problem_since = coalesce(problem_since, $6), problem_until = $7
where org_id = $1 and id = $2 and revision = $3
returning name, problem_since = $6 as is_new`;

const RELIEF = `
update ${SCHEMA}.itsm_connectors
set problem_code = null, problem_message = null, problem_since = null, problem_until = null, revision = revision + 1
where org_id = $1 and id = $2 and revision = $3`;

/** Writes what came of attempts: into the tickets, and what it says of the connector into that. */
@Injectable()
export class TicketLedger {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly clock: Clock,
    private readonly news: NewTickets,
    private readonly breaker: ConnectorBreaker,
    private readonly work: ConnectorWork,
  ) {}

  /** Settles attempts of one organization in the caller's transaction. */
  async settle(em: EntityManager, orgId: string, ended: readonly EndedAttempt[]): Promise<void> {
    const results = ended.flatMap(({ ticketId, result }) => (result ? [rowOf(ticketId, result)] : []));
    if (results.length === 0) return;
    const now = this.clock.now();
    const written = await sqlOf(em).query<WrittenTicket>(WRITE, [orgId, JSON.stringify(results), now]);
    const created = written.flatMap(({ externalTicketId, ...ticket }) =>
      externalTicketId === null ? [] : [{ ...ticket, externalTicketId }],
    );
    for (const attempt of onePerConnector(ended)) await this.noteConnector(em, attempt, now);
    // Last: it writes to the audit log, whose lock whoever changes a connector takes after the connector's.
    await this.news.tell(em, orgId, created);
  }

  /** Called before the outcome is written: from now on this process asks nothing of a platform that refuses. */
  hear({ connector, result }: EndedAttempt): void {
    if (result?.syncState === 'rejected' && result.attempted && result.errorCode !== 'unreachable') {
      this.breaker.hush(connector, PAUSE_MS);
    } else if (result?.syncState === 'created') this.breaker.open(connector);
  }

  private async noteConnector(em: EntityManager, { connector, result }: EndedAttempt, now: Date): Promise<void> {
    const { orgId, id, revision } = connector;
    if (result?.syncState === 'created') {
      if (connector.problemUntil === null) return;
      await this.work.wakeWaiting(em, orgId, id);
      await sqlOf(em).query(RELIEF, [orgId, id, revision]);
    } else if (result?.syncState === 'rejected' && result.errorCode !== 'unreachable') {
      const until = new Date(now.getTime() + PAUSE_MS);
      const said = [result.errorCode ?? 'config', result.error ?? ''];
      const [row] = await sqlOf(em).query<{ name: string; is_new: boolean }>(TROUBLE, [
        ...[orgId, id, revision, ...said, now, until],
      ]);
      // Once, and not for each ticket: the connector shows it for as long as it lasts.
      if (row?.is_new) this.logger.warn(`The connector ${id} opens no tickets for now: ${result.error ?? ''}`);
    }
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
    external_ticket_id: ref?.externalTicketId ?? null,
    platform_id: ref?.platformId ?? null,
    url: ref?.url ?? null,
    degraded: [...(result.degraded ?? [])],
    error_code: result.errorCode ?? null,
    error: result.error ?? null,
    error_fields: fields === undefined ? null : { ...fields },
  };
}

/** In one order; of several attempts by one connector the one that created a ticket counts, else the last. */
function onePerConnector(ended: readonly EndedAttempt[]): EndedAttempt[] {
  const chosen = new Map<string, EndedAttempt>();
  for (const attempt of ended) {
    if (attempt.result === undefined) continue;
    const { id } = attempt.connector;
    if (chosen.get(id)?.result?.syncState !== 'created') chosen.set(id, attempt);
  }
  return [...chosen.values()].sort((a, b) => (a.connector.id < b.connector.id ? -1 : 1));
}
