import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BufferRoom, UnavailableError, within } from '#core';
import { OrgDatabase } from '#database';
import type { DecisionRow } from './decision-row.js';
import { BEHIND, PendingRecords } from './pending-records.js';
import { RecordLane, type LaneContext } from './record-lane.js';
import { RecordTransactions } from './record-transactions.js';
import { PART_WEIGHT } from '../decide/policy-weight.js';
import { RecordWriter, type RecordEntry, type StoredRecords } from './record-writer.js';

/** Of all organizations; one alone may take half: 100,000 records of one matching policy each, something like 100 MB. */
const BUFFER_WEIGHT = 400_000 * PART_WEIGHT;
/** What an organization may hold whatever the others do. */
const LEAST_WEIGHT = 100 * PART_WEIGHT;
const WAIT_MS = 5_000;
/** Large records, and many violations, are waited for longer: this is a tenth of what was measured on two busy cores. */
const WEIGHT_PER_MS = 1_000;
const READER_WAIT_MS = 1_000;
const LAST_FLUSH_MS = 10_000;
/** Beyond so many, those with nothing to do are taken away before another is made. */
const LANES_KEPT = 1_000;

/**
 * Writes decision records behind the answers, in batches. None is lost while the process lives: when the database is
 * away, records wait and are tried again, and when 100,000 of an organization wait (fewer where they are large, or where
 * other organizations need the room), its decisions wait, at most five seconds each, and are then refused. A crash of the
 * process takes the last 50 ms and what had to wait.
 */
@Injectable()
export class DecisionRecorder {
  private readonly lanes = new Map<string, RecordLane>();
  private readonly buffer = new BufferRoom(BUFFER_WEIGHT, LEAST_WEIGHT);
  private readonly context: LaneContext;

  constructor(
    database: OrgDatabase,
    private readonly writer: RecordWriter,
  ) {
    this.context = {
      transactions: new RecordTransactions(database, writer),
      failing: 0,
      giveUpAt: Infinity,
      released: (orgId, { weight }) => this.buffer.give(orgId, weight.held),
    };
    database.beforeClose(() => this.close());
  }

  /** Records that are not written yet, those on their way to the database left out. */
  get waitingRecords(): number {
    let waiting = 0;
    for (const lane of this.lanes.values()) waiting += lane.waiting;
    return waiting;
  }

  /** Notes a record to be written within 50 ms. */
  record(orgId: string, entry: RecordEntry): void {
    this.add(orgId, new PendingRecords([entry]));
  }

  /**
   * Writes records with all that goes with them now, all or none, together with what else is waiting; returns those that were
   * not there before.
   * @throws UnavailableError where they are not written within five seconds, and longer where they are large: then none
   *   of them is, now or later
   * @throws RecordInDoubtError where the database was lost just when it took them
   */
  async recordAllNow(orgId: string, entries: readonly RecordEntry[]): Promise<StoredRecords> {
    const pending = new PendingRecords(entries);
    let lane: RecordLane | undefined;
    const begin = () => {
      const own = (lane = this.add(orgId, pending));
      // Whoever asks in the same turn shares the statement.
      setImmediate(() => void own.flush());
      return WAIT_MS + Math.floor(own.awaited / WEIGHT_PER_MS);
    };
    try {
      return await pending.whenWritten(begin);
    } finally {
      if (pending.isAbandoned) lane?.abandon(pending);
    }
  }

  /**
   * Writes a record with all that goes with it in a running transaction of the organization: it is there when that
   * commits. Returns it as it was written; undefined where its idempotency key was taken.
   */
  async recordWithin(em: EntityManager, orgId: string, entry: RecordEntry): Promise<DecisionRow | undefined> {
    const stored = await this.writer.write(em, orgId, [entry], { isAwaited: true, isRepeat: false });
    return stored.get(entry.row.id);
  }

  /**
   * Undefined while there is room for records of an organization; otherwise wait for it.
   * @throws UnavailableError after five seconds
   */
  room(orgId: string): Promise<void> | undefined {
    if (this.buffer.isFree(orgId)) return undefined;
    let leave = () => {};
    const free = new Promise<void>(resolve => (leave = this.buffer.wait(orgId, resolve)));
    return orTooLate(WAIT_MS, free).finally(leave);
  }

  /** Writes what is waiting now, of one organization or of all, so that a reader finds it. Resolves after a second at the latest. */
  async settle(orgId?: string): Promise<void> {
    const lanes = orgId === undefined ? [...this.lanes.values()] : [this.lanes.get(orgId)];
    const work = lanes.flatMap(lane => (lane ? [lane.flushAll()] : []));
    if (work.length > 0) await orTooLate(READER_WAIT_MS, Promise.all(work)).catch(() => undefined);
  }

  private add(orgId: string, pending: PendingRecords): RecordLane {
    let lane = this.lanes.get(orgId);
    if (!lane) {
      this.forgetIdle();
      this.lanes.set(orgId, (lane = new RecordLane(orgId, this.context)));
    }
    this.buffer.take(orgId, pending.weight.held);
    lane.add(pending);
    return lane;
  }

  private forgetIdle(): void {
    if (this.lanes.size < LANES_KEPT) return;
    for (const [orgId, lane] of this.lanes) if (lane.isIdle) this.lanes.delete(orgId);
  }

  private async close(): Promise<void> {
    this.context.giveUpAt = performance.now() + LAST_FLUSH_MS;
    await Promise.all([...this.lanes.values()].map(lane => lane.close()));
  }
}

function orTooLate<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  return within(milliseconds, work, () => new UnavailableError(BEHIND));
}
