import { isDataFault, isOutage } from '../database-fault.js';
import { commitGroup, WithdrawnError } from './commit-attempt.js';
import { GroupRetries, type StuckGroup } from './group-retries.js';
import { KeyQueue } from './key-queue.js';
import { PendingItem } from './pending-item.js';
import type { GroupCommitTerms } from './terms.js';
import { Turns } from './turns.js';

type Group<Item, Outcome> = readonly PendingItem<Item, Outcome>[];

/**
 * Group commit: while the transactions of a key are running, new items of the key are collected. They share the next
 * transaction. Awaited items are written first. If a transaction is free, an awaited item is written without waiting
 * for more items. Keys do not wait for each other. If one item causes an error, for example because PostgreSQL cannot
 * store its value, only this item fails: its group is split in halves and written again. Conflicts with other
 * transactions are retried at once. All other errors concern the whole group. If retries are configured, the group is
 * retried. During an outage, later items of the key wait; after an unknown error, later items are written in the
 * meantime. Without retries, all items of the group are rejected.
 */
export class GroupCommit<Item, Outcome> {
  private readonly queues = new Map<string, KeyQueue<Item, Outcome>>();
  private readonly retries: GroupRetries | undefined;
  private readonly turns: Turns | undefined;
  private readonly isItemFault: (error: unknown) => boolean;
  private idle: (() => void)[] = [];

  constructor(private readonly terms: GroupCommitTerms<Item, Outcome>) {
    this.retries = terms.retry && new GroupRetries(terms.retry);
    this.turns = terms.totalConcurrency === undefined ? undefined : new Turns(terms.totalConcurrency);
    this.isItemFault = terms.isItemFault ?? isDataFault;
  }

  /** Items that wait in queues. */
  *waitingItems(): Generator<Item> {
    for (const queue of this.queues.values()) yield* queue.items();
  }

  /** Failed groups that are being retried. */
  get stuck(): ReadonlySet<StuckGroup> {
    return this.retries?.stuck ?? new Set();
  }

  /** Weight of the awaited items of a key that are not written yet. */
  awaitedWeight(key: string): number {
    return this.queues.get(key)?.awaitedWeight ?? 0;
  }

  /**
   * Resolves with the item's outcome after the commit. Rejects if the item causes an error, or if there is no room.
   * @param withinMs time limit; `commit` must then call `seal`. Default: none
   * @throws CommitTooLateError after the time limit; the item is not written, now or later
   * @throws CommitInDoubtError if the commit was not confirmed, so that the item may be written
   */
  add(key: string, item: Item, withinMs?: number): Promise<Outcome> {
    const { room, gathers = false } = this.terms;
    if (room?.full && !room.buffer.isFree(key)) return Promise.reject(room.full());
    const queue = this.queueOf(key);
    const pending = this.pend(key, item);
    const outcome = pending.outcome();
    if (withinMs !== undefined) pending.limit(withinMs, () => this.drop(queue, pending));
    queue.add(pending);
    this.start(queue, gathers);
    return outcome;
  }

  /** Adds an item that nobody awaits. It is written when its group is full, or after `lingerMs`. Never refused. */
  put(key: string, item: Item): void {
    const queue = this.queueOf(key);
    queue.add(this.pend(key, item));
    if (this.isDue(queue)) this.start(queue, false);
    else this.linger(queue);
  }

  /** Resolves when the items of one key, or of all keys, are written or wait for a retry. Waits during an outage. */
  async flush(key?: string): Promise<void> {
    const queues = key === undefined ? [...this.queues.values()] : [this.queues.get(key)];
    await Promise.all(queues.flatMap(queue => (queue ? [this.expedite(queue)] : [])));
  }

  /**
   * Resolves when no item is waiting or being written. Call it before the connections close.
   * @param withinMs time limit of retries; remaining items are lost. Default: no limit
   */
  async close(withinMs = Infinity): Promise<void> {
    this.retries?.giveUpAfter(withinMs);
    for (const queue of this.queues.values()) void this.expedite(queue);
    if (this.queues.size > 0) await new Promise<void>(done => this.idle.push(done));
  }

  private drop(queue: KeyQueue<Item, Outcome>, pending: PendingItem<Item, Outcome>): void {
    if (queue.drop(pending)) this.release(queue, [pending]);
  }

  private queueOf(key: string): KeyQueue<Item, Outcome> {
    let queue = this.queues.get(key);
    if (!queue) this.queues.set(key, (queue = new KeyQueue(key)));
    return queue;
  }

  private pend(key: string, item: Item): PendingItem<Item, Outcome> {
    const { terms } = this;
    const weight = terms.weightOf?.(item) ?? 1;
    const held = terms.room?.weightOf?.(item) ?? weight;
    terms.room?.buffer.take(key, held);
    return new PendingItem(item, weight, held);
  }

  /** Whether items must be written without waiting for more. */
  private isDue(queue: KeyQueue<Item, Outcome>): boolean {
    const { lingerMs, maxWeight } = this.terms;
    return queue.isUrgent || queue.weight >= maxWeight || (lingerMs === undefined && queue.length > 0);
  }

  private linger(queue: KeyQueue<Item, Outcome>): void {
    if (queue.running === 0) queue.linger(this.terms.lingerMs ?? 0, () => this.start(queue, false));
  }

  private async expedite(queue: KeyQueue<Item, Outcome>): Promise<void> {
    queue.expedite();
    if (queue.length > 0) this.start(queue, false);
    if (queue.running > 0 || queue.isStarting) await queue.whenFlushed();
  }

  private start(queue: KeyQueue<Item, Outcome>, gathers: boolean): void {
    if (queue.isStarting || queue.running >= this.terms.concurrency) return;
    if (!gathers) return void this.run(queue);
    queue.isStarting = true;
    setImmediate(() => {
      queue.isStarting = false;
      void this.run(queue);
    });
  }

  private async run(queue: KeyQueue<Item, Outcome>): Promise<void> {
    const { maxWeight, gathers } = this.terms;
    queue.running++;
    queue.wake();
    for (;;) {
      await this.write(queue, queue.take(maxWeight), false);
      if (!this.isDue(queue)) break;
      // Callers of written items may add their next items in this turn of the event loop. Wait for these items.
      if (gathers && queue.weight < maxWeight && !queue.isExpedited) await new Promise(setImmediate);
    }
    queue.running--;
    this.rest(queue);
  }

  /** Sets a timer for waiting items, or removes an idle queue. */
  private rest(queue: KeyQueue<Item, Outcome>): void {
    if (queue.running > 0 || queue.isStarting) return;
    queue.tellFlushed();
    if (queue.length > 0) this.linger(queue);
    else if (queue.retriedGroups === 0) {
      queue.wake();
      this.queues.delete(queue.key);
      if (this.queues.size === 0) for (const tell of this.idle.splice(0)) tell();
    }
  }

  /** Never rejects. Errors reject the promises of the individual items. */
  private async write(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>, isRepeat: boolean): Promise<void> {
    const error = await this.attempt(queue, group, isRepeat);
    if (!error) return;
    if (!this.retries) return this.fail(queue, group, error);
    if (!isOutage(error)) return void this.retryGroup(queue, group, error);
    const last = await this.retries.run(error, () => this.attempt(queue, group, true));
    if (last) this.fail(queue, group, last);
  }

  private async retryGroup(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>, error: Error): Promise<void> {
    queue.retriedGroups++;
    const last = await this.retries?.run(error, () => {
      // Only one failed group of a key is retried at a time, so that such groups do not occupy all connections.
      const turn = queue.lastRetry.then(() => this.attempt(queue, group, true));
      queue.lastRetry = turn;
      return turn;
    });
    if (last) this.fail(queue, group, last);
    queue.retriedGroups--;
    this.rest(queue);
  }

  /** Returns the error of the group; undefined if each item has its outcome. */
  private async attempt(
    queue: KeyQueue<Item, Outcome>,
    group: Group<Item, Outcome>,
    isRepeat: boolean,
  ): Promise<Error | undefined> {
    for (;;) {
      const wanted = this.wantedOf(queue, group);
      if (wanted.length === 0) return undefined;
      try {
        const commit = () => commitGroup(this.terms, queue.key, wanted, isRepeat);
        this.finish(queue, wanted, await (this.turns ? this.turns.take(commit) : commit()));
        return undefined;
      } catch (error) {
        if (error instanceof WithdrawnError) continue;
        if (!this.isItemFault(error)) return error instanceof Error ? error : new Error(String(error));
        if (wanted.length === 1) this.fail(queue, wanted, error);
        else {
          const middle = wanted.length >>> 1;
          await this.write(queue, wanted.slice(0, middle), true);
          await this.write(queue, wanted.slice(middle), true);
        }
        return undefined;
      }
    }
  }

  private wantedOf(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>): Group<Item, Outcome> {
    if (!group.some(({ isWithdrawn }) => isWithdrawn)) return group;
    this.release(
      queue,
      group.filter(({ isWithdrawn }) => isWithdrawn),
    );
    return group.filter(({ isWithdrawn }) => !isWithdrawn);
  }

  private finish(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>, outcomes: readonly Outcome[]): void {
    if (outcomes.length !== group.length) {
      return this.fail(queue, group, new Error('A group commit must answer one outcome per item.'));
    }
    // The code above has checked that `commit` returned one outcome per item.
    group.forEach((pending, at) => pending.done(outcomes[at] as Outcome));
    this.release(queue, group);
  }

  private fail(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>, error: unknown): void {
    for (const pending of group) pending.fail(error);
    const lost = group.filter(({ isAwaited }) => !isAwaited);
    if (lost.length > 0)
      this.terms.onLost?.(
        queue.key,
        lost.map(({ item }) => item),
        error,
      );
    this.release(queue, group);
  }

  private release(queue: KeyQueue<Item, Outcome>, group: Group<Item, Outcome>): void {
    let held = 0;
    for (const pending of group) {
      if (pending.isReleased) continue;
      pending.isReleased = true;
      held += pending.held;
      if (pending.isAwaited) queue.awaitedWeight -= pending.weight;
    }
    this.terms.room?.buffer.give(queue.key, held);
  }
}
