import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase } from '#database';
import { TaskQueue } from '#outbox';
import type { TicketRef } from '../adapter/create-outcome.js';
import { ConnectorWork } from '../connectors/connector-work.js';
import { ITSM_OPTIONS, type ItsmOptions } from '../itsm.options.js';
import { ticketTask } from '../ticket-task.js';
import { composeDraft } from '../tickets/compose-draft.js';
import { TicketReservations } from '../tickets/ticket-reservations.js';
import { oneTicket, type ShownTicket } from '../tickets/ticket-rows.js';
import { styleOf } from '../tickets/ticket-style.js';
import type { StoredDraft } from '../tickets/ticket.entity.js';
import type { Step } from '../decide/next-step.js';
import { progressOf, payloadOf } from '../decide/progress.js';
import { TicketAttempts, type ReadyConnector } from './ticket-attempts.js';
import { TicketLedger } from './ticket-ledger.js';

/**
 * Delay after which a worker looks for the test ticket, in case the process has ended. It exceeds the duration of any
 * attempt.
 */
const WATCH_MS = 120_000;

/**
 * Result of one attempt of a test. A result that would normally be retried counts as failed, because the caller waits
 * for the answer.
 */
@Injectable()
export class TestAttempt {
  constructor(
    private readonly attempts: TicketAttempts,
    readonly ledger: TicketLedger,
    @Inject(ITSM_OPTIONS) private readonly options: ItsmOptions,
  ) {}

  /** Text of a test ticket. */
  draftFor({ id, name, kind }: ReadyConnector & { readonly name: string }): StoredDraft {
    const nobody = { incidentId: null, userId: null, userEmail: null, provider: null, model: null } as const;
    const summary = `Test of the connector ${name}; close it`;
    const payload = { test: true, severity: 'low', connector_id: id, connector_name: name, kind };
    const matter = { ...nobody, type: 'connector_test', severity: 'low', summary, payload } as const;
    return composeDraft(matter, styleOf(this.options));
  }

  async make(connector: ReadyConnector, id: string, draft: StoredDraft): Promise<Step> {
    const ticket = { id, draft, unanswered: 0, externalTicketId: null, earlier: null };
    // The connector may be inactive: inactive connectors can be tested, too.
    const leave = { toCreate: () => this.ledger.begin(connector.orgId, ticket), toSearch: () => Promise.resolve() };
    const step = await this.attempts.make(connector, ticket, progressOf({}), leave);
    if (step.result.syncState !== 'pending') return step;
    return { ...step, againAfterMs: null, result: { ...step.result, syncState: 'rejected' } };
  }
}

/** A test ticket after one attempt. `ref` is set if the platform returned an id. */
export interface OpenedTest {
  readonly ticket: ShownTicket;
  readonly ref: TicketRef | undefined;
}

/** Opens test tickets of connectors while the caller waits. */
@Injectable()
export class TestTickets {
  constructor(
    private readonly database: OrgDatabase,
    private readonly tasks: TaskQueue,
    private readonly reservations: TicketReservations,
    private readonly attempt: TestAttempt,
    private readonly work: ConnectorWork,
  ) {}

  /**
   * Makes one attempt to open a ticket with low severity. If the outcome is unknown, a worker looks for the ticket
   * later.
   */
  async open(connector: ReadyConnector & { readonly name: string }): Promise<OpenedTest> {
    const { orgId, id: connectorId, kind } = connector;
    const draft = this.attempt.draftFor(connector);
    const asked = { incidentId: null, connectorId, kind, origin: 'test', eventId: null, draft, matter: null } as const;
    const id = await this.database.transaction(orgId, async em => {
      const [reserved] = await this.reservations.reserve(em, orgId, [asked]);
      if (!reserved) throw new Error('a test ticket was not reserved');
      const payload = payloadOf({ ...progressOf({}), phase: 'find' }, 'test');
      await this.tasks.schedule(em, orgId, { ...ticketTask(reserved), payload }, WATCH_MS);
      return reserved.id;
    });
    const step = await this.attempt.make(connector, id, draft);
    return this.database.transaction(orgId, async em => {
      await this.attempt.ledger.settle(em, orgId, [{ ticketId: id, connector, result: step.result }]);
      if (step.result.syncState === 'created') await this.work.retryRejected(em, orgId, connectorId);
      // If no further attempt is needed, the scheduled task finds that the ticket is settled, and ends.
      if (step.againAfterMs !== null) {
        const task = { ...ticketTask({ id, connectorId }), payload: payloadOf(step.progress) };
        await this.tasks.schedule(em, orgId, task, step.againAfterMs);
      }
      return { ticket: await oneTicket(em, orgId, id), ref: step.result.ref };
    });
  }
}
