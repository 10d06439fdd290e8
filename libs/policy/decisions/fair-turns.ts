/** Time slice in milliseconds after which work yields to the event loop. */
const SLICE_MS = 10;

/**
 * Shares the CPU between organizations. Work runs in time slices and yields to the event loop after each slice. Within
 * a slice, organizations run round-robin, one piece of work each. All callers share the slice, so that a hundred
 * batches block the event loop no longer than one batch. Work runs at once if the slice has time left and no other work
 * waits.
 */
export class FairTurns {
  private readonly waiting = new Map<string, (() => void)[]>();
  private sliceEnds = 0;
  private isSliceOpen = false;

  /**
   * Runs one piece of work, which may take a few milliseconds of CPU at most. If the work can run at once, returns the
   * result without a promise, because a promise costs more than most requests.
   */
  take<T>(orgId: string, work: () => T | Promise<T>): T | Promise<T> {
    if (this.waiting.size === 0 && this.hasTime()) return work();
    // An async function, so that a thrown error becomes a rejection.
    return new Promise(resolve => this.wait(orgId, () => resolve((async () => work())())));
  }

  private wait(orgId: string, run: () => void): void {
    const queue = this.waiting.get(orgId);
    if (queue) queue.push(run);
    else this.waiting.set(orgId, [run]);
  }

  private hasTime(): boolean {
    if (this.isSliceOpen) return performance.now() < this.sliceEnds;
    this.openSlice();
    return true;
  }

  private openSlice(): void {
    this.isSliceOpen = true;
    this.sliceEnds = performance.now() + SLICE_MS;
    setImmediate(() => this.nextSlice());
  }

  private nextSlice(): void {
    this.isSliceOpen = false;
    if (this.waiting.size === 0) return;
    this.openSlice();
    do this.runNext();
    while (this.waiting.size > 0 && performance.now() < this.sliceEnds);
  }

  /** Runs the first piece of work of the next organization, and moves that organization to the end of the queue. */
  private runNext(): void {
    for (const [orgId, queue] of this.waiting) {
      const run = queue.shift();
      this.waiting.delete(orgId);
      if (queue.length > 0) this.waiting.set(orgId, queue);
      return run?.();
    }
  }
}
