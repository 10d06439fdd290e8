import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BufferRoom, Clock, UnavailableError, UserDirectory } from '#core';
import { isDataFault, OrgDatabase, sqlOf, retryingConflicts } from '#database';
import { SpendLedger } from '../spend/spend-ledger.js';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { RecentResends } from './recent-resends.js';
import { MAX_EVENTS_AT_ONCE } from './rollup.js';
import { appendEvents, isKnownEvent, type Expected } from './usage-ledger.js';

interface Job {
  events: readonly PricedEvent[];
  resolve(outcomes: EventOutcome[]): void;
  reject(error: unknown): void;
}

interface Queue {
  waiting: Job[];
  running: number;
}

const TOO_FAST =
  'Usage events arrive faster than they can be stored at present; nothing of this batch is, so send it again shortly.';

/** Transactions of one organization at a time: some insert events while another writes rollups or waits for its commit. */
const WRITERS = 3;

/** Events in this process that are not stored yet, of all organizations; something like 200 MB. One alone may have half. */
const MAX_WAITING_EVENTS = 200_000;

/**
 * Stores events. Batches of one organization that arrive while three others are being written share the next transaction
 * (group commit): their rollups are added up first and written once. Nobody waits for company: a batch that finds a
 * free queue starts at once.
 */
@Injectable()
export class UsageWriter {
  private readonly queues = new Map<string, Queue>();
  private readonly resends = new RecentResends();
  /** An organization that sends too fast leaves room for the others. */
  private readonly room = new BufferRoom(MAX_WAITING_EVENTS, MAX_EVENTS_AT_ONCE);

  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly spend: SpendLedger,
    private readonly clock: Clock,
  ) {}

  /**
   * One outcome per event, after the commit. At most {@link MAX_EVENTS_AT_ONCE} events.
   * @throws UnavailableError where as many events of the organization wait as other organizations leave room for, 100,000 at
   *   most, because they come faster than they can be stored
   */
  async write(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    if (!this.room.isFree(orgId)) throw new UnavailableError(TOO_FAST);
    this.room.take(orgId, events.length);
    try {
      return await this.enqueue(orgId, events);
    } finally {
      this.room.give(orgId, events.length);
    }
  }

  private enqueue(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(orgId) ?? { waiting: [], running: 0 };
      this.queues.set(orgId, queue);
      queue.waiting.push({ events, resolve, reject });
      if (queue.running < WRITERS) void this.drain(orgId, queue);
    });
  }

  /** Stores events in a running transaction; nothing counts before the caller commits it. */
  async writeWithin(
    em: EntityManager,
    orgId: string,
    events: readonly PricedEvent[],
    expected?: Expected,
  ): Promise<EventOutcome[]> {
    if (events.length === 0) return [];
    const tx = sqlOf(em);
    const { outcomes, inserted } = await appendEvents(tx, orgId, events, this.clock.now(), expected);
    if (inserted.length > 0) await this.users.recordActivity(tx, orgId, lastSeen(inserted));
    // Last, because it locks budgets, which requests wait for.
    await this.spend.count(em, orgId, inserted);
    return outcomes;
  }

  private async drain(orgId: string, queue: Queue): Promise<void> {
    queue.running++;
    while (queue.waiting.length > 0) await this.run(orgId, takeTogether(queue.waiting));
    queue.running--;
    if (queue.running === 0) this.queues.delete(orgId);
  }

  /** Never rejects: each job hears of its own failure. */
  private async run(orgId: string, jobs: readonly Job[]): Promise<void> {
    try {
      const outcomes = await this.commit(
        orgId,
        jobs.flatMap(job => job.events),
      );
      let from = 0;
      for (const job of jobs) job.resolve(outcomes.slice(from, (from += job.events.length)));
    } catch (error) {
      // A batch that can never be stored must not fail its neighbors. In an outage one attempt speaks for all: if each
      // batch waited for a time-out of its own, the last one would wait for minutes.
      if (jobs.length > 1 && isDataFault(error)) for (const job of jobs) await this.run(orgId, [job]);
      else for (const job of jobs) job.reject(error);
    }
  }

  private async commit(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    const attempt = (expected: Expected): Promise<EventOutcome[]> =>
      retryingConflicts(() => this.database.transaction(orgId, em => this.writeWithin(em, orgId, events, expected)));
    if (!this.resends.has(orgId, this.clock.now())) {
      try {
        return await attempt('new events');
      } catch (error) {
        if (!isKnownEvent(error)) throw error;
      }
    }
    const outcomes = await attempt('anything');
    // Whoever sends again goes on doing so for a while; each wrong guess costs an error in the database's log and rows
    // that somebody has to clear away.
    if (outcomes.some(outcome => outcome !== 'accepted')) this.resends.note(orgId, this.clock.now());
    return outcomes;
  }
}

/** Takes jobs from the front as long as they fit into one transaction together. */
function takeTogether(waiting: Job[]): Job[] {
  let size = 0;
  const fitting = waiting.findIndex(job => (size += job.events.length) > MAX_EVENTS_AT_ONCE);
  return waiting.splice(0, fitting === -1 ? waiting.length : Math.max(fitting, 1));
}

function lastSeen(events: readonly PricedEvent[]): Map<string, Date> {
  const seen = new Map<string, Date>();
  for (const { userId, occurredAt } of events) {
    const known = seen.get(userId);
    if (!known || known < occurredAt) seen.set(userId, occurredAt);
  }
  return seen;
}
