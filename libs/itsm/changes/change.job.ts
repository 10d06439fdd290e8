import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock, newId, SecretUnreadableError } from '#core';
import { JobHandler, OutboxWorker, type Outcome, type Settled, type Task } from '#outbox';
import { ConnectorBreaker, PAUSE_MS } from '../delivery/connector-breaker.js';
import { ConnectorChangedError } from '../delivery/ticket-ledger.js';
import { ReadyConnectors } from '../delivery/ready-connectors.js';
import type { ReadyConnector } from '../delivery/ticket-attempts.js';
import type { ChangeKind } from '../adapter/ticket-change.js';
import type { ChangeStep } from '../decide/after-update.js';
import { nextChange, type BegunChange } from '../decide/next-change.js';
import { CHANGE_QUEUE } from '../ticket-task.js';
import { ChangeAttempts } from './change-attempts.js';
import { ChangeLedger, ChangeTakenError, type EndedChange } from './change-ledger.js';
import { readStandings, type FollowedTicket } from './ticket-standings.sql.js';

interface Work {
  readonly connector: ReadyConnector;
  readonly ticket: FollowedTicket;
  /** The kinds of changes that the platform supports. */
  readonly kinds: readonly ChangeKind[];
}

/** Delay of the next attempt if another worker has leased the ticket, or if the connector has changed. */
const LATER_MS = 5_000;

const NOTHING: Omit<ChangeStep, 'againAfterMs'> = {
  ...{ result: 'retrying', told: {}, begun: null, error: null, isOver: false },
};

/** Dependencies of the job. */
@Injectable()
export class ChangeJobTools {
  constructor(
    readonly breaker: ConnectorBreaker,
    readonly clock: Clock,
  ) {}
}

/**
 * Sends changes of incidents to platforms: one task per ticket, until the platform is up to date. The worker records each
 * change before it sends it. If the process ends, another worker repeats the change after the lease expires.
 */
@Injectable()
export class ChangeJob extends JobHandler<Work, EndedChange> implements OnModuleInit {
  readonly name = CHANGE_QUEUE;
  override readonly slots = 16;
  override readonly slotsPerKey = 4;
  override readonly leaseMs = 12_000;
  override readonly renews = true;

  constructor(
    private readonly worker: OutboxWorker,
    private readonly connectors: ReadyConnectors,
    private readonly attempts: ChangeAttempts,
    private readonly ledger: ChangeLedger,
    private readonly deps: ChangeJobTools,
  ) {
    super();
  }

  onModuleInit(): void {
    this.worker.addJob(this);
  }

  async load(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<Map<string, Work>> {
    const tickets = await readStandings(em, orgId, tasks.map(ticketOf));
    const connectors = await this.connectors.read(em, orgId, [...new Set(tasks.map(({ key }) => key))]);
    const work = new Map<string, Work>();
    for (const task of tasks) {
      const [ticket, connector] = [tickets.get(ticketOf(task)), connectors.get(task.key)];
      const kinds = connector ? this.attempts.changesOf(connector) : [];
      if (ticket && connector && kinds.length > 0) work.set(task.id, { ticket, connector, kinds });
    }
    return work;
  }

  async perform(task: Task, work: Work): Promise<Outcome<EndedChange>> {
    const { connector, ticket, kinds } = work;
    const { breaker, clock } = this.deps;
    const tries = typeof task.payload['tries'] === 'number' ? task.payload['tries'] : 0;
    const next = nextChange(ticket.standing, clock.now(), kinds);
    if (next.kind !== 'send') return ended({ ticket, kinds, tries: 0 });
    const waitMs = connector.active ? await breaker.waitMs(connector) : LATER_MS;
    if (waitMs > 0) return later(work, tries, waitMs);
    const { incident } = ticket.standing;
    const change: BegunChange = next.begun
      ? { ...next.begun, sends: next.begun.sends + 1 }
      : {
          ...{ kind: next.what, key: newId(clock.now()), sends: 1 },
          ...{ occurrences: incident.occurrences, severity: incident.severity },
        };
    if (connector.secrets instanceof SecretUnreadableError) return later(work, tries, PAUSE_MS);
    try {
      await this.ledger.begin(connector, ticket, change);
    } catch (error) {
      if (error instanceof ChangeTakenError || error instanceof ConnectorChangedError) {
        return later(work, tries, LATER_MS);
      }
      throw error;
    }
    const { step, movedTo } = await this.attempts.make(connector, ticket, change, tries);
    const pauseMs = step.refusesAll ? PAUSE_MS : step.quietMs;
    if (pauseMs !== undefined) breaker.pause(connector, pauseMs);
    return ended({ ticket, kinds, change, step, tries: step.isOver ? 0 : tries + 1, ...(movedTo && { movedTo }) });
  }

  async settle(em: EntityManager, orgId: string, settled: readonly Settled<EndedChange>[]): Promise<void> {
    const all = settled.map(({ result }) => result);
    await this.ledger.settle(em, orgId, all);
  }
}

/** Ends the task. The ledger adds another task if the ticket needs it. */
function ended(result: EndedChange): Outcome<EndedChange> {
  return { againAfterMs: null, answered: result.step?.isOver ?? true, result };
}

/** The result of a task that has sent nothing and must be repeated later. */
function later({ ticket, kinds }: Work, tries: number, againAfterMs: number): Outcome<EndedChange> {
  return ended({ ticket, kinds, tries, step: { ...NOTHING, againAfterMs } });
}

function ticketOf({ payload }: Task): string {
  const { ticket_id: id } = payload;
  // Only changeTask() and FollowedIncidents write this payload.
  return typeof id === 'string' ? id : '';
}
