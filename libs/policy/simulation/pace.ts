import { setImmediate as nextTurn } from 'node:timers/promises';

/** So long the process does nothing else. */
const SLICE_MS = 1.5;
const REPORT_MS = 250;

/** Looking at the clock for each record would cost as much as judging it. */
export const RECORDS_PER_LOOK = 16;

/** Lets long work stand back: others have their turn, whoever waits hears how far it is, and it ends when told to. */
export class Pace {
  private sliceEnds = performance.now() + SLICE_MS;
  private reportAt = 0;

  constructor(
    private readonly signal: AbortSignal,
    private readonly report: () => void,
  ) {}

  /** Whether it is time to {@link stepBack}. */
  get isDue(): boolean {
    return performance.now() > this.sliceEnds;
  }

  /** @throws what the signal was aborted with */
  async stepBack(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    const now = performance.now();
    this.sliceEnds = now + SLICE_MS;
    if (now < this.reportAt) return;
    this.reportAt = now + REPORT_MS;
    this.report();
  }
}
