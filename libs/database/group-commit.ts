import { BufferRoom } from '#core';
import { isDataFault } from './database-fault.js';
import { retryingConflicts } from './retrying-conflicts.js';

/** How much may wait in memory, of all keys together. A key that adds too fast leaves room for the others. */
export interface WaitingRoom {
  /** Weight of all items that wait or are being written. One key alone may take half. */
  readonly total: number;
  /** Weight that each key may always hold. */
  readonly least: number;
  /** The error for an item that finds no room. */
  readonly full: () => Error;
}

/** How a {@link GroupCommit} works. */
export interface GroupCommitTerms<Item, Outcome> {
  /**
   * Writes some items of one key in one transaction, and answers one outcome per item, at its place, once that is
   * committed. When it rejects, nothing is written. It may be called again with the same items, or with a part of them.
   */
  commit(key: string, items: readonly Item[]): Promise<readonly Outcome[]>;
  /** Default: 1. */
  weightOf?(item: Item): number;
  /** Weight of one transaction. An item that is heavier has one of its own. */
  readonly maxWeight: number;
  /** Transactions of one key at a time. */
  readonly concurrency: number;
  /** Default: no limit. */
  readonly room?: WaitingRoom;
  /** Waits for the items that are added in the same turn of the event loop. Default: false, an item starts at once. */
  readonly gathers?: boolean;
}

interface Job<Item, Outcome> {
  readonly item: Item;
  readonly weight: number;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

interface Queue<Item, Outcome> {
  readonly waiting: Job<Item, Outcome>[];
  running: number;
  isStarting: boolean;
}

/**
 * Group commit: items of one key that arrive while its transactions are under way share the next one. An item that
 * finds a free transaction never waits for company. Keys do not wait for each other.
 */
export class GroupCommit<Item, Outcome> {
  private readonly queues = new Map<string, Queue<Item, Outcome>>();
  private readonly room: BufferRoom | undefined;
  private idle: (() => void)[] = [];

  constructor(private readonly terms: GroupCommitTerms<Item, Outcome>) {
    const { room } = terms;
    this.room = room && new BufferRoom(room.total, room.least);
  }

  /**
   * Resolves with the item's outcome after the commit. Rejects with the fault of its transaction: each item hears of its
   * own data faults only, because a group that has one is written again in halves; an outage is everybody's. Conflicts
   * with other transactions are tried again here. Rejects where there is no room.
   */
  add(key: string, item: Item): Promise<Outcome> {
    const { terms, room } = this;
    if (room && terms.room && !room.isFree(key)) return Promise.reject(terms.room.full());
    const weight = terms.weightOf?.(item) ?? 1;
    room?.take(key, weight);
    return new Promise((resolve, reject) => {
      const queue = this.queues.get(key) ?? { waiting: [], running: 0, isStarting: false };
      this.queues.set(key, queue);
      queue.waiting.push({ item, weight, resolve, reject });
      this.start(key, queue);
    });
  }

  /** Resolves when nothing waits or is being written. Call it before the connections close. */
  async drain(): Promise<void> {
    if (this.queues.size === 0) return;
    await new Promise<void>(done => this.idle.push(done));
  }

  private start(key: string, queue: Queue<Item, Outcome>): void {
    if (queue.isStarting || queue.running >= this.terms.concurrency) return;
    if (!this.terms.gathers) {
      void this.run(key, queue);
      return;
    }
    queue.isStarting = true;
    setImmediate(() => {
      queue.isStarting = false;
      void this.run(key, queue);
    });
  }

  private async run(key: string, queue: Queue<Item, Outcome>): Promise<void> {
    queue.running++;
    while (queue.waiting.length > 0) {
      const jobs = this.takeTogether(queue.waiting);
      await this.settle(key, jobs);
      for (const { weight } of jobs) this.room?.give(key, weight);
    }
    queue.running--;
    if (queue.running > 0 || queue.isStarting) return;
    this.queues.delete(key);
    if (this.queues.size === 0) for (const tell of this.idle.splice(0)) tell();
  }

  /** Takes jobs from the front as long as they fit into one transaction together. */
  private takeTogether(waiting: Job<Item, Outcome>[]): Job<Item, Outcome>[] {
    let weight = 0;
    const fitting = waiting.findIndex(job => (weight += job.weight) > this.terms.maxWeight);
    return waiting.splice(0, fitting === -1 ? waiting.length : Math.max(fitting, 1));
  }

  /** Never rejects: each job hears of its own failure. */
  private async settle(key: string, jobs: readonly Job<Item, Outcome>[]): Promise<void> {
    let outcomes: readonly Outcome[];
    try {
      const items = jobs.map(({ item }) => item);
      outcomes = await retryingConflicts(() => this.terms.commit(key, items));
      if (outcomes.length !== items.length) throw new Error('A group commit must answer one outcome per item.');
    } catch (error) {
      // Data that can never be stored must not fail its neighbors. In an outage one attempt speaks for all: if each had
      // to wait for a time-out of its own, the last one would wait for minutes.
      if (jobs.length === 1 || !isDataFault(error)) return jobs.forEach(job => job.reject(error));
      const middle = jobs.length >>> 1;
      await this.settle(key, jobs.slice(0, middle));
      return this.settle(key, jobs.slice(middle));
    }
    // Checked above: as many as there are jobs.
    jobs.forEach((job, at) => job.resolve(outcomes[at] as Outcome));
  }
}
