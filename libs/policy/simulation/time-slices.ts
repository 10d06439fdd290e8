import { setImmediate as nextTurn } from 'node:timers/promises';

/** Length of a time slice in milliseconds. */
const SLICE_MS = 1.5;
const REPORT_MS = 250;

/** Number of records between two reads of the clock. A read costs as much as the evaluation of a record. */
export const RECORDS_PER_LOOK = 16;

/** Splits long work into time slices: yields to the event loop, reports progress, and stops when it is aborted. */
export class TimeSlices {
  private sliceEnds = performance.now() + SLICE_MS;
  private reportAt = 0;

  constructor(
    private readonly signal: AbortSignal,
    private readonly report: () => void,
  ) {}

  /** Whether the slice has ended. Call {@link yieldNow} then. */
  get isDue(): boolean {
    return performance.now() > this.sliceEnds;
  }

  /**
   * Yields to the event loop and starts the next slice.
   * @throws the abort reason if the signal was aborted
   */
  async yieldNow(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    const now = performance.now();
    this.sliceEnds = now + SLICE_MS;
    if (now < this.reportAt) return;
    this.reportAt = now + REPORT_MS;
    this.report();
  }
}
