import type { PendingItem } from './pending-item.js';

/** The waiting items of one key. Awaited items come first. */
export class KeyQueue<Item, Outcome> {
  /** Number of loops that take groups from this queue. Each loop runs one transaction at a time. */
  running = 0;
  /** Whether a loop will start in the next turn of the event loop. */
  isStarting = false;
  /** Number of groups that are retried while later groups are written. */
  retriedGroups = 0;
  /** The last scheduled retry. Retries run one after another. */
  lastRetry: Promise<unknown> = Promise.resolve();
  /** Weight of the awaited items, including those that are being written. */
  awaitedWeight = 0;
  private readonly awaited: PendingItem<Item, Outcome>[] = [];
  private readonly behind: PendingItem<Item, Outcome>[] = [];
  private waitingWeight = 0;
  /** Number of items that nobody awaits, but that must not wait for a full group. */
  private expedited = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushed: (() => void)[] = [];

  constructor(readonly key: string) {}

  /** Number of items in the queue. */
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
    return this.awaited.length > 0 || this.expedited > 0;
  }

  /** Whether a flush waits for these items. */
  get isExpedited(): boolean {
    return this.expedited > 0;
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

  /** Removes the items that fit into a transaction of this weight. Removes at least one item. */
  take(maxWeight: number): PendingItem<Item, Outcome>[] {
    const first = this.fitting(this.awaited, maxWeight, true);
    const group = this.awaited.splice(0, first.count);
    this.waitingWeight -= first.weight;
    if (this.awaited.length > 0 || this.behind.length === 0) return group;
    const next = this.fitting(this.behind, maxWeight - first.weight, first.count === 0);
    this.waitingWeight -= next.weight;
    this.expedited = Math.max(0, this.expedited - next.count);
    return group.concat(this.behind.splice(0, next.count));
  }

  /** Number of items from the front whose total weight fits into the limit. */
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
  expedite(): void {
    this.expedited = this.behind.length;
  }

  /** Runs work once after a delay. {@link wake} ends the delay early. */
  linger(milliseconds: number, work: () => void): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      work();
    }, milliseconds).unref();
  }

  /** Ends the delay of {@link linger}. */
  wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Resolves at the next call of {@link tellFlushed}. */
  whenFlushed(): Promise<void> {
    return new Promise(done => this.flushed.push(done));
  }

  tellFlushed(): void {
    for (const tell of this.flushed.splice(0)) tell();
  }
}
