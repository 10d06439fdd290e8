import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { ConnectorWork } from '../connectors/connector-work.js';
import type { TicketResult } from '../decide/next-step.js';
import { ConnectorBreaker, FIELD_REFUSALS_MAX, PAUSE_MS, type BreakerView } from './connector-breaker.js';

/** The outcome of one attempt for one ticket. It has no result if no attempt was made. */
export interface EndedAttempt {
  readonly ticketId: string;
  readonly connector: BreakerView;
  readonly result?: TicketResult;
}

const SET_PROBLEM = `
update ${SCHEMA}.itsm_connectors
set problem_code = $4, problem_message = $5, problem_since = coalesce(problem_since, $6), problem_until = $7
where org_id = $1 and id = $2 and revision = $3
returning name, problem_since = $6 as is_new`;

const COUNT_FIELDS = `
update ${SCHEMA}.itsm_connectors set field_refusals = field_refusals + $4 where org_id = $1 and id = $2 and revision = $3
returning field_refusals`;

// Waits until a concurrent change of the connector commits. A change that comes later sees the rejected tickets and
// retries them.
const REVISIONS = `
select id, revision from ${SCHEMA}.itsm_connectors where org_id = $1 and id = any ($2::uuid[])
order by id for no key update`;

const FORGET_FIELDS = prepared(
  'forget_field_refusals',
  `
update ${SCHEMA}.itsm_connectors set field_refusals = 0
where org_id = $1 and id = $2 and revision = $3 and field_refusals > 0`,
);

const CLEAR_PROBLEM = `
update ${SCHEMA}.itsm_connectors
set problem_code = null, problem_message = null, problem_since = null, problem_until = null, field_refusals = 0,
  revision = revision + 1
where org_id = $1 and id = $2 and revision = $3`;

/** Records connector problems that the outcomes of attempts reveal. */
@Injectable()
export class ConnectorProblems {
  private readonly logger = new Logger('Governance');

  constructor(
    private readonly clock: Clock,
    private readonly breaker: ConnectorBreaker,
    private readonly work: ConnectorWork,
  ) {}

  /**
   * Pauses the connector in this process if the platform refuses all requests. Call this method before the outcome is
   * written.
   */
  pauseIfRefused({ connector, result }: EndedAttempt): void {
    if (result?.refusesAll) this.breaker.pause(connector, PAUSE_MS);
    if (!result || result.isLastLook) return;
    if (result.syncState === 'created') this.breaker.reset(connector);
    else if (isRefusalOfAll(result) && result.attempted) this.breaker.pause(connector, PAUSE_MS);
    else if (isRefusalOfFields(result)) this.breaker.refuseFields(connector);
  }

  /** Records the problems for attempts of one organization, in the transaction that has written their tickets. */
  async settle(em: EntityManager, orgId: string, ended: readonly EndedAttempt[]): Promise<void> {
    const now = this.clock.now();
    const groups = Map.groupBy(ended, ({ connector }) => `${connector.id} ${connector.revision}`);
    // All callers lock connectors in the same order, to avoid deadlocks.
    for (const key of [...groups.keys()].sort()) await this.noteConnector(em, groups.get(key) ?? [], now);
    await this.retryStale(em, orgId, ended);
  }

  /**
   * Selects one attempt per connector: one that created a ticket, or else one whose refusal also applies to other
   * tickets.
   */
  private async noteConnector(em: EntityManager, ended: readonly EndedAttempt[], now: Date): Promise<void> {
    const results = ended.flatMap(({ result }) => result ?? []);
    const connector = ended[0]?.connector;
    if (!connector) return;
    const { orgId, id, revision } = connector;
    if (results.some(({ syncState }) => syncState === 'created')) {
      await sqlOf(em).query(FORGET_FIELDS, [orgId, id, revision]);
      if (ended.every(attempt => attempt.connector.problemUntil === null)) return;
      await this.work.wakeWaiting(em, orgId, id);
      await sqlOf(em).query(CLEAR_PROBLEM, [orgId, id, revision]);
      return;
    }
    const fields = results.filter(isRefusalOfFields);
    const isPoor = fields.length > 0 && (await this.countFields(em, connector, fields.length)) >= FIELD_REFUSALS_MAX;
    const refusal = results.findLast(isRefusalOfAll) ?? (isPoor ? fields.at(-1) : undefined);
    if (refusal) await this.recordProblem(em, connector, refusal, now);
  }

  private async countFields(em: EntityManager, { orgId, id, revision }: BreakerView, count: number): Promise<number> {
    const values = [orgId, id, revision, count];
    const [row] = await sqlOf(em).query<{ field_refusals: number }>(COUNT_FIELDS, values);
    return row?.field_refusals ?? 0;
  }

  private async recordProblem(em: EntityManager, at: BreakerView, refusal: TicketResult, now: Date): Promise<void> {
    const { orgId, id, revision } = at;
    const until = new Date(now.getTime() + PAUSE_MS);
    const said = [refusal.refusesAll ?? refusal.errorCode ?? 'config', refusal.error ?? ''];
    const [row] = await sqlOf(em).query<{ name: string; is_new: boolean }>(SET_PROBLEM, [
      ...[orgId, id, revision, ...said, now, until],
    ]);
    // The start of a problem is logged once and not for each ticket. The connector shows the problem until it ends.
    if (row?.is_new) this.logger.warn(`The connector ${id} is paused and opens no tickets: ${refusal.error ?? ''}`);
  }

  /** A refusal that came before a change of the connector does not apply to the current settings. */
  private async retryStale(em: EntityManager, orgId: string, ended: readonly EndedAttempt[]): Promise<void> {
    const rejected = ended.filter(({ result }) => result?.syncState === 'rejected');
    if (rejected.length === 0) return;
    const ids = plainArray([...new Set(rejected.map(({ connector }) => connector.id))], id => id);
    const rows = await sqlOf(em).query<{ id: string; revision: number }>(REVISIONS, [orgId, ids]);
    const revisions = new Map(rows.map(({ id, revision }) => [id, revision]));
    const stale = rejected.filter(({ connector: { id, revision } }) => (revisions.get(id) ?? revision) !== revision);
    if (stale.length === 0) return;
    await this.work.retryNamed(
      em,
      orgId,
      stale.map(({ ticketId }) => ticketId),
    );
  }
}

/** Whether the platform would also refuse other tickets of the connector. */
function isRefusalOfAll({ syncState, errorCode, refusesAll }: TicketResult): boolean {
  return refusesAll !== undefined || (syncState === 'rejected' && errorCode !== 'unreachable' && errorCode !== 'field');
}

/** Whether the platform refused the ticket for its content, so that it may accept other tickets. */
function isRefusalOfFields({ syncState, errorCode }: TicketResult): boolean {
  return syncState === 'rejected' && errorCode === 'field';
}
