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
  private readonly awaited = new Set<PendingItem<Item, Outcome>>();
  private readonly behind: PendingItem<Item, Outcome>[] = [];
  private waitingWeight = 0;
  /** Of those behind, so many must not wait for a full group. */
  private hurried = 0;
  private timer: NodeJS.Timeout | undefined;
  private flushed: (() => void)[] = [];

  constructor(readonly key: string) {}

  /** Items in it. */
  get length(): number {
    return this.awaited.size + this.behind.length;
  }

  /** What a transaction of all of them weighs. */
  get weight(): number {
    return this.waitingWeight;
  }

  /** Whether an item in it must not wait for a full group. */
  get isUrgent(): boolean {
    return this.awaited.size > 0 || this.hurried > 0;
  }

  /** Whether a flush waits for items in it. */
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
    this.awaited.add(pending);
  }

  /** Takes an awaited item back; false where it is not here any more. */
  drop(pending: PendingItem<Item, Outcome>): boolean {
    if (!this.awaited.delete(pending)) return false;
    this.waitingWeight -= pending.weight;
    return true;
  }

  /** Takes out what fits into a transaction of so much weight, and at least one item. */
  take(maxWeight: number): PendingItem<Item, Outcome>[] {
    const group: PendingItem<Item, Outcome>[] = [];
    let weight = 0;
    const fits = (pending: PendingItem<Item, Outcome>): boolean =>
      group.length === 0 || weight + pending.weight <= maxWeight;
    const takeOne = (pending: PendingItem<Item, Outcome>): void => {
      weight += pending.weight;
      group.push(pending);
    };
    for (const pending of this.awaited) {
      if (!fits(pending)) break;
      this.awaited.delete(pending);
      takeOne(pending);
    }
    let count = 0;
    for (const pending of this.awaited.size === 0 ? this.behind : []) {
      if (!fits(pending)) break;
      count++;
      takeOne(pending);
    }
    this.behind.splice(0, count);
    this.hurried = Math.max(0, this.hurried - count);
    this.waitingWeight -= weight;
    return group;
  }

  /** Makes all that is in it urgent. */
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
