import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BufferRoom, Clock, UnavailableError, UserDirectory } from '#core';
import { GroupCommit, OrgDatabase, sqlOf } from '#database';
import { SpendLedger } from '../spend/spend-ledger.js';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { RecentResends } from './recent-resends.js';
import { MAX_EVENTS_AT_ONCE } from './rollup.js';
import { appendEvents, isKnownEvent, type Expected } from './usage-ledger.js';

const TOO_FAST =
  'Usage events arrive faster than they can be stored. This batch was not stored; send it again shortly.';

/**
 * Concurrent transactions per organization. While one writes rollups or waits for its commit, the others insert events.
 */
const WRITERS = 3;

/**
 * Maximum number of events that wait in this process to be stored, over all organizations; about 200 MB. One
 * organization may use half of them.
 */
const MAX_WAITING_EVENTS = 200_000;

/**
 * Stores events with group commit. Up to three transactions of an organization run at a time. Batches that arrive
 * meanwhile share the next transaction: their rollups are summed first and written once.
 */
@Injectable()
export class UsageWriter {
  private readonly resends = new RecentResends();
  private readonly group: GroupCommit<readonly PricedEvent[], EventOutcome[]>;

  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly spend: SpendLedger,
    private readonly clock: Clock,
  ) {
    const buffer = new BufferRoom(MAX_WAITING_EVENTS, MAX_EVENTS_AT_ONCE);
    this.group = new GroupCommit({
      commit: (orgId, batches) => this.commit(orgId, batches),
      weightOf: events => events.length,
      maxWeight: MAX_EVENTS_AT_ONCE,
      concurrency: WRITERS,
      room: { buffer, full: () => new UnavailableError(TOO_FAST) },
    });
    database.beforeClose(() => this.group.close());
  }

  /**
   * Returns one outcome per event, after the commit. At most {@link MAX_EVENTS_AT_ONCE} events.
   * @throws UnavailableError if the queue has no room for the organization, which may use as many places as remain
   * free, at most 100,000
   */
  write(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    return this.group.add(orgId, events);
  }

  /** Stores events in a running transaction. They count when the caller commits it. */
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
    // Counting the spending comes last, because it locks budgets, and requests wait for these locks.
    await this.spend.count(em, orgId, inserted);
    return outcomes;
  }

  private async commit(orgId: string, batches: readonly (readonly PricedEvent[])[]): Promise<EventOutcome[][]> {
    const outcomes = await this.append(orgId, batches.flat());
    let from = 0;
    return batches.map(({ length }) => outcomes.slice(from, (from += length)));
  }

  private async append(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    const attempt = (expected: Expected): Promise<EventOutcome[]> =>
      this.database.transaction(orgId, em => this.writeWithin(em, orgId, events, expected));
    if (!this.resends.has(orgId, this.clock.now())) {
      try {
        return await attempt('new events');
      } catch (error) {
        if (!isKnownEvent(error)) throw error;
      }
    }
    const outcomes = await attempt('anything');
    // After a duplicate, the sender probably sends more. A wrong guess costs an error in the database's log and dead
    // rows.
    if (outcomes.some(outcome => outcome !== 'accepted')) this.resends.note(orgId, this.clock.now());
    return outcomes;
  }
}

function lastSeen(events: readonly PricedEvent[]): Map<string, Date> {
  const seen = new Map<string, Date>();
  for (const { userId, occurredAt } of events) {
    const known = seen.get(userId);
    if (!known || known < occurredAt) seen.set(userId, occurredAt);
  }
  return seen;
}
