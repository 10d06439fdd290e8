import type { PendingRecords } from './pending-records.js';

/** Records of one organization that are to be written: first those that somebody waits for, then the others. */
export class RecordQueue {
  private readonly awaited = new Set<PendingRecords>();
  private readonly behind: PendingRecords[] = [];
  /** Of those behind: how many came in, and how many were taken out. */
  private added = 0;
  private taken = 0;
  private weight = 0;
  private awaitedRecords = 0;
  private upTo = 0;

  /** Records in it. */
  get length(): number {
    return this.awaitedRecords + this.behind.length;
  }

  /** What it takes to write what is in it. */
  get written(): number {
    return this.weight;
  }

  /** Whether something in it cannot wait for company. */
  get isUrgent(): boolean {
    return this.awaited.size > 0 || this.taken < this.upTo;
  }

  add(pending: PendingRecords): void {
    this.weight += pending.weight.written;
    if (pending.isAwaited) {
      this.awaited.add(pending);
      this.awaitedRecords += pending.entries.length;
    } else {
      this.behind.push(pending);
      this.added++;
    }
  }

  /** Makes all that is in it now urgent. */
  hurry(): void {
    this.upTo = this.added;
  }

  /** Takes awaited ones back; false where they are not in it any more. */
  drop(pending: PendingRecords): boolean {
    if (!this.awaited.delete(pending)) return false;
    this.weight -= pending.weight.written;
    this.awaitedRecords -= pending.entries.length;
    return true;
  }

  /** Takes records out until they have a weight, and one more than fits. */
  take(most: number): PendingRecords[] {
    const group: PendingRecords[] = [];
    let weight = 0;
    for (const pending of this.awaited) {
      if (weight >= most) break;
      weight += pending.weight.written;
      group.push(pending);
      this.awaited.delete(pending);
      this.awaitedRecords -= pending.entries.length;
    }
    let count = 0;
    while (weight < most && count < this.behind.length) weight += this.behind[count++]?.weight.written ?? 0;
    this.taken += count;
    this.weight -= weight;
    return group.length === 0 ? this.behind.splice(0, count) : [...group, ...this.behind.splice(0, count)];
  }
}
