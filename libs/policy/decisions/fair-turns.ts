/** Time slice after which work yields to the event loop. */
const SLICE_MS = 10;

/**
 * Shares the CPU between organizations: work runs in slices, the event loop has a turn after each, and in a slice the
 * organizations take turns, one piece of work each. All callers share the slice, so that a hundred batches hold others
 * up no longer than one. Work runs at once while the slice has time left and nobody waits.
 */
export class FairTurns {
  private readonly waiting = new Map<string, (() => void)[]>();
  private sliceEnds = 0;
  private isSliceOpen = false;

  /**
   * What comes of one piece of work, of a few milliseconds until it waits for something: at once where it may run at once,
   * because a promise for each request of a batch costs more than most requests.
   */
  take<T>(orgId: string, work: () => T | Promise<T>): T | Promise<T> {
    if (this.waiting.size === 0 && this.hasTime()) return work();
    // Async, so that what it throws is a rejection.
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

  /** Runs the first piece of the organization whose turn it is, which then stands behind the others. */
  private runNext(): void {
    for (const [orgId, queue] of this.waiting) {
      const run = queue.shift();
      this.waiting.delete(orgId);
      if (queue.length > 0) this.waiting.set(orgId, queue);
      return run?.();
    }
  }
}
