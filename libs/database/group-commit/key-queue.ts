import type { PendingItem } from './pending-item.js';

/** The items of one key that wait: first those with a caller who waits, then the others. */
export class KeyQueue<Item, Outcome> {
  /** Runs that take groups from here, one transaction each at a time. */
  running = 0;
  /** A run begins in the next turn of the event loop. */
  isStarting = false;
  /** Groups that are retried while later ones go on. */
  aside = 0;
  /** The last attempt of a group that is retried aside: they take turns. */
  lastAside: Promise<unknown> = Promise.resolve();
  /** Weight of the awaited items, those that are being written included. */
  awaitedWeight = 0;
  private readonly awaited: PendingItem<Item, Outcome>[] = [];
  private readonly behind: PendingItem<Item, Outcome>[] = [];
  private waitingWeight = 0;
  /** Of those behind, so many must not wait for a full group. */
  private hurried = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushed: (() => void)[] = [];

  constructor(readonly key: string) {}

  /** Items in it. */
  get length(): number {
    return this.awaited.length + this.behind.length;
  }

  *items(): Generator<Item> {
    for (const { item } of this.awaited) yield item;
    for (const { item } of this.behind) yield item;
  }

  /** Total weight of the items. */
  get weight(): number {
    return this.waitingWeight;
  }

  /** Whether an item must be written without waiting for a full group. */
  get isUrgent(): boolean {
    return this.awaited.length > 0 || this.hurried > 0;
  }

  /** Whether a flush waits for these items. */
  get isHurried(): boolean {
    return this.hurried > 0;
  }

  add(pending: PendingItem<Item, Outcome>): void {
    this.waitingWeight += pending.weight;
    if (!pending.isAwaited) {
      this.behind.push(pending);
      return;
    }
    this.awaitedWeight += pending.weight;
    this.awaited.push(pending);
  }

  /** Withdraws an awaited item; false if it has left the queue. */
  drop(pending: PendingItem<Item, Outcome>): boolean {
    const at = this.awaited.indexOf(pending);
    if (at === -1) return false;
    this.awaited.splice(at, 1);
    this.waitingWeight -= pending.weight;
    return true;
  }

  /** Removes the items that fit into a transaction of this weight, at least one. */
  take(maxWeight: number): PendingItem<Item, Outcome>[] {
    const first = this.fitting(this.awaited, maxWeight, true);
    const group = this.awaited.splice(0, first.count);
    this.waitingWeight -= first.weight;
    if (this.awaited.length > 0 || this.behind.length === 0) return group;
    const next = this.fitting(this.behind, maxWeight - first.weight, first.count === 0);
    this.waitingWeight -= next.weight;
    this.hurried = Math.max(0, this.hurried - next.count);
    return group.concat(this.behind.splice(0, next.count));
  }

  /** Number of items from the front whose total weight fits. */
  private fitting(
    items: readonly PendingItem<Item, Outcome>[],
    maxWeight: number,
    atLeastOne: boolean,
  ): { count: number; weight: number } {
    let count = 0;
    let weight = 0;
    for (const item of items) {
      if (weight + item.weight > maxWeight && !(atLeastOne && count === 0)) break;
      weight += item.weight;
      count++;
    }
    return { count, weight };
  }

  /** Marks all items as urgent. */
  hurry(): void {
    this.hurried = this.behind.length;
  }

  /** Runs work later, once, unless {@link wake} comes first. */
  linger(milliseconds: number, work: () => void): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      work();
    }, milliseconds).unref();
  }

  /** Ends {@link linger}. */
  wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Resolves with the next {@link tellFlushed}. */
  whenFlushed(): Promise<void> {
    return new Promise(done => this.flushed.push(done));
  }

  tellFlushed(): void {
    for (const tell of this.flushed.splice(0)) tell();
  }
}
