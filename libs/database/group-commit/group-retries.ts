import type { RetryTerms } from './terms.js';

/** A failed group that is being retried. */
export class StuckGroup {
  private wake: () => void = () => undefined;
  private readonly onTried: (() => void)[] = [];

  /** Ends the pause and retries now. Resolves after the attempt. */
  retry(): Promise<void> {
    const tried = new Promise<void>(resolve => this.onTried.push(resolve));
    this.wake();
    return tried;
  }

  /** Called by the retry loop. Resolves after the given time, or when {@link retry} is called. */
  pause(milliseconds: number): Promise<void> {
    for (const tell of this.onTried.splice(0)) tell();
    return new Promise(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Called by the retry loop when there are no further attempts. */
  end(): void {
    for (const tell of this.onTried.splice(0)) tell();
  }
}

/** Retries groups until they are written, or until the time limit. */
export class GroupRetries {
  /** Groups that are being retried. */
  readonly stuck = new Set<StuckGroup>();
  private giveUpAt = Infinity;

  constructor(private readonly terms: RetryTerms) {}

  /** Sets the time limit. A pause that would end later is not started. */
  giveUpAfter(milliseconds: number): void {
    this.giveUpAt = performance.now() + milliseconds;
  }

  /**
   * Repeats an attempt until it returns no error, or until the time limit.
   * @returns the last error after the time limit; undefined if an attempt succeeded
   */
  async run(first: Error, attempt: () => Promise<Error | undefined>): Promise<Error | undefined> {
    const { firstMs, maxMs } = this.terms;
    const stuck = new StuckGroup();
    if (this.stuck.size === 0) this.terms.onOutage?.(first);
    this.stuck.add(stuck);
    let error: Error | undefined = first;
    for (let pause = firstMs; error; pause = Math.min(pause * 2, maxMs)) {
      if (performance.now() + pause > this.giveUpAt) break;
      await stuck.pause(pause);
      error = await attempt();
    }
    this.stuck.delete(stuck);
    stuck.end();
    if (!error && this.stuck.size === 0) this.terms.onRecovery?.();
    return error;
  }
}
