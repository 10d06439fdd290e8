import type { EntityManager } from '@mikro-orm/postgresql';
import { metrics } from '@opentelemetry/api';
import { METER, type Clock } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { JobHandler, type Outcome, type Settled, type Task, type TaskName } from '#outbox';
import type { ItsmOptions } from '../itsm.options.js';
import { removalOf, TICKET_QUEUE } from '../ticket-task.js';
import type { ConnectorBreaker } from './connector-breaker.js';
import type { Step } from '../decide/next-step.js';
import { progressOf, payloadOf, SYNC_STATES, type Progress } from '../decide/progress.js';
import type { ReadyConnectors } from './ready-connectors.js';
import { Spacing } from './spacing.js';
import type { DueTicket, ReadyConnector, TicketAttempts } from './ticket-attempts.js';
import { readEarlier } from './earlier-tickets.sql.js';
import type { ConnectorProblems, EndedAttempt } from './connector-problems.js';
import { ConnectorChangedError, type TicketLedger } from './ticket-ledger.js';

type DueRow = Omit<DueTicket, 'earlier'> & { readonly follows: string | null };

interface Job {
  readonly connector: ReadyConnector;
  readonly ticket: DueTicket;
}

/** Dependencies of the job. */
export interface TicketJobParts {
  readonly connectors: ReadyConnectors;
  readonly breaker: ConnectorBreaker;
  readonly problems: ConnectorProblems;
  readonly attempts: TicketAttempts;
  readonly ledger: TicketLedger;
  readonly clock: Clock;
}

const DUE = `
select id, draft, unanswered, external_ticket_id as "externalTicketId", follows from ${SCHEMA}.tickets
where org_id = $1 and id = any ($2::uuid[])
  and (sync_state in ('pending', 'uncertain') or (sync_state = 'created' and unanswered > 0))`;

const REJECT = `
update ${SCHEMA}.tickets set sync_state = 'rejected', error_code = $3, error = $4, error_fields = null, updated_at = $5
where org_id = $1 and id = any ($2::uuid[]) and sync_state in ('pending', 'uncertain')`;

const REMOVED = `
update ${SCHEMA}.tickets t
set sync_state = 'rejected', error_code = 'connector_removed', error = ${removalOf('t')}, error_fields = null,
  updated_at = $3
where t.org_id = $1 and t.id = any ($2::uuid[]) and t.sync_state in ('pending', 'uncertain')`;

const REOPEN = `
update ${SCHEMA}.tickets set sync_state = 'uncertain', error_code = null, error = null, updated_at = $3
where org_id = $1 and id = any ($2::uuid[]) and error_code = 'fault'`;

/** Number of interruptions after which the service leaves the ticket to a person. */
const INTERRUPTIONS_MAX = 10;
/** Random part of a delay, so that the waiting tickets of a connector are not retried at the same moment. */
const SPREAD_MS = 1_000;
/** Milliseconds between two requests: forty requests per second, more than platforms accept from one account. */
const APART_MS = 25;
/** Delay of the next attempt while another worker changes the earlier ticket. */
const BUSY_MS = 3_000;
/** Maximum time that an attempt waits for a slot. An attempt that runs longer is considered hung. */
const ROUND_MS = 400;

/**
 * Opens tickets, with one task per ticket. The worker renews its lease while the adapter runs. If the process ends,
 * another worker takes over after the lease has expired. If a create request was sent, that worker searches for the
 * ticket first.
 */
export class TicketJob extends JobHandler<Job, EndedAttempt> {
  readonly name = TICKET_QUEUE;
  override readonly slots: number;
  override readonly slotsPerKey: number;
  override readonly leaseMs = 12_000;
  override readonly renews = true;
  private readonly spacing: Spacing;
  private readonly attempts = metrics.getMeter(METER).createCounter('governance.itsm.attempts', {
    description: 'Attempts to open a ticket, by the resulting state of the ticket',
    unit: '{attempt}',
  });

  constructor(
    private readonly parts: TicketJobParts,
    { concurrency = 32, concurrencyPerConnector = 16 }: ItsmOptions,
  ) {
    super();
    // Each state is exported as 0 from the start, because a rate needs a first sample.
    for (const state of SYNC_STATES) this.attempts.add(0, { 'governance.outcome': state });
    this.slots = concurrency;
    this.slotsPerKey = concurrencyPerConnector;
    this.spacing = new Spacing(Math.min(APART_MS, ROUND_MS / concurrencyPerConnector));
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Job>> {
    const ids = plainArray(tasks, task => task.id);
    const due = await sqlOf(em).query<DueRow>(DUE, [orgId, ids]);
    const earlier = await readEarlier(
      em,
      orgId,
      due.flatMap(({ follows }) => follows ?? []),
    );
    const tickets = new Map(
      due.map(({ follows, ...ticket }) => [ticket.id, { ...ticket, earlier: earlier.get(follows ?? '') ?? null }]),
    );
    const connectors = await this.parts.connectors.read(em, orgId, [...new Set(tasks.map(task => task.key))]);
    const jobs = new Map<string, Job>();
    for (const { id, key } of tasks) {
      const [ticket, connector] = [tickets.get(id), connectors.get(key)];
      if (ticket && connector) jobs.set(id, { ticket, connector });
    }
    // A connector can be removed while a violation adds a ticket for it. The removal does not see this ticket, so the
    // job rejects the ticket here.
    const left = tasks.filter(({ id, key }) => tickets.has(id) && !connectors.has(key));
    if (left.length > 0) {
      const gone = plainArray(left, task => task.id);
      await sqlOf(em).query(REMOVED, [orgId, gone, this.parts.clock.now()]);
    }
    return jobs;
  }

  async perform(task: Task, { connector, ticket }: Job): Promise<Outcome<EndedAttempt>> {
    const { breaker, problems } = this.parts;
    if (task.interruptions >= INTERRUPTIONS_MAX)
      throw new Error('attempts for this ticket were interrupted repeatedly');
    const progress = progressOf(task.payload);
    if (!connector.active) return this.wait(task, connector, 0);
    const waitMs = progress.byHand ? 0 : await breaker.waitMs(connector);
    if (waitMs > 0) return this.wait(task, connector, waitMs + Math.random() * SPREAD_MS);
    if (ticket.earlier?.isBusy) return this.wait(task, connector, BUSY_MS);
    await this.spacing.turn(connector.id);
    const step = await this.attempt(connector, ticket, progress);
    if (!step) return this.wait(task, connector, 0);
    const ended = { ticketId: ticket.id, connector, result: step.result };
    problems.pauseIfRefused(ended);
    if (!step.result.isLastLook) this.attempts.add(1, { 'governance.outcome': step.result.syncState });
    if (step.quietMs !== undefined) breaker.pause(connector, step.quietMs);
    const { againAfterMs } = step;
    const answered = step.result.errorCode !== 'unreachable' && step.result.errorCode !== 'uncertain';
    return { againAfterMs, answered, result: ended, payload: payloadOf(step.progress) };
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<EndedAttempt>[]): Promise<void> {
    await this.parts.ledger.settle(
      em,
      orgId,
      settled.map(({ result }) => result),
    );
  }

  override async onDeadLetter(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<void> {
    await this.reject(em, orgId, tasks, 'fault', 'The service failed on this ticket; run doctor to find the cause.');
  }

  override async onRequeue(em: EntityManager, orgId: string, tasks: readonly TaskName[]): Promise<void> {
    const ids = plainArray(tasks, task => task.id);
    await sqlOf(em).query(REOPEN, [orgId, ids, this.parts.clock.now()]);
  }

  /** Returns undefined if the connector has changed. The next attempt then reads it again. */
  private async attempt(connector: ReadyConnector, ticket: DueTicket, progress: Progress): Promise<Step | undefined> {
    const { attempts, ledger } = this.parts;
    try {
      return await attempts.make(connector, ticket, progress, {
        toCreate: () => ledger.begin(connector.orgId, ticket, connector),
        toSearch: () => ledger.assertUnchanged(connector),
      });
    } catch (error) {
      if (error instanceof ConnectorChangedError) return undefined;
      throw error;
    }
  }

  /** Ends a task without an attempt. The ticket is not changed. */
  private wait(task: Task, connector: ReadyConnector, milliseconds: number): Outcome<EndedAttempt> {
    const payload = payloadOf(progressOf(task.payload), 'connector');
    return { againAfterMs: milliseconds, answered: true, payload, result: { ticketId: task.id, connector } };
  }

  private async reject(
    em: EntityManager,
    orgId: string,
    tasks: readonly TaskName[],
    code: string,
    message: string,
  ): Promise<void> {
    const ids = plainArray(tasks, task => task.id);
    await sqlOf(em).query(REJECT, [orgId, ids, code, message, this.parts.clock.now()]);
  }
}
