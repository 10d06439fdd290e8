import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { JobHandler, OutboxWorker, type Outcome, type Settled, type Task } from '#outbox';
import { ReadyConnectors } from '../delivery/ready-connectors.js';
import type { ReadyConnector } from '../delivery/ticket-attempts.js';
import { TicketReports } from '../inbound/ticket-reports.js';
import { AskedTickets, type AskedTicket, type TicketAnswer } from './asked-tickets.js';
import { RECONCILE_QUEUE, type ReconcilePayload } from './reconcile-task.js';
import { lockUnchanged, OPEN_TICKETS, openTickets } from './open-tickets.sql.js';

const PAUSE_MS = 1_000;
const FROM_HERE = { address: null, requestId: null };

/** A batch of tickets of one connector. */
interface Batch {
  readonly connector: ReadyConnector;
  readonly tickets: readonly AskedTicket[];
}

/**
 * Polls the status of a connector's tickets, one after the other, in batches with pauses between them. A report that
 * arrives meanwhile takes precedence over the polled status.
 */
@Injectable()
export class ReconcileJob extends JobHandler<Batch, readonly TicketAnswer[]> implements OnModuleInit {
  readonly name = RECONCILE_QUEUE;
  override readonly slots = 8;
  override readonly slotsPerKey = 1;
  override readonly renews = true;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly connectors: ReadyConnectors,
    private readonly asked: AskedTickets,
    private readonly reports: TicketReports,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Batch>> {
    const connectors = await this.connectors.read(
      em,
      orgId,
      tasks.map(({ key }) => key),
    );
    const batches = new Map<string, Batch>();
    for (const task of tasks) {
      const connector = connectors.get(task.key);
      if (!connector?.active) continue;
      // Only reconcileTask() and `perform` write this payload.
      const { after } = task.payload as ReconcilePayload;
      batches.set(task.id, { connector, tickets: await openTickets(em, orgId, connector.id, after) });
    }
    return batches;
  }

  async perform(_task: Task, { connector, tickets }: Batch): Promise<Outcome<readonly TicketAnswer[]>> {
    const { answers, isWorthMore } = await this.asked.ask(connector, tickets);
    const last = tickets.at(-1);
    const goesOn = isWorthMore && tickets.length === OPEN_TICKETS && last !== undefined;
    if (!goesOn) return { againAfterMs: null, answered: true, result: answers };
    return { againAfterMs: PAUSE_MS, payload: { after: last.id }, answered: true, result: answers };
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<readonly TicketAnswer[]>[]): Promise<void> {
    const answers = settled.flatMap(({ result }) => result);
    const unchanged = await lockUnchanged(em, orgId, answers);
    for (const { ticket, state } of answers) {
      if (unchanged.has(ticket.id)) await this.reports.apply(em, orgId, ticket.id, state, FROM_HERE);
    }
  }
}
