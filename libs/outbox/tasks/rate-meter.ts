/** Shortest time span that is measured, in milliseconds. */
const SPAN_MS = 20;
/** Weight of the newest time span. */
const NEWEST = 0.5;

/** Measures the recent rate of an event, as a weighted moving average. */
export class RateMeter {
  private perMs = 0;
  private counted = 0;
  private since: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.since = now();
  }

  /** Counts one event. */
  count(): void {
    this.counted++;
  }

  /** Expected number of events in the given number of milliseconds at the current rate, rounded up. */
  in(milliseconds: number): number {
    const span = this.now() - this.since;
    if (span >= SPAN_MS) {
      // The longer the time since the last measurement, the lower the weight of the old rate.
      const weight = Math.max(NEWEST, Math.min(1, span / 1_000));
      this.perMs += (this.counted / span - this.perMs) * weight;
      this.since += span;
      this.counted = 0;
    }
    return Math.ceil(this.perMs * milliseconds);
  }
}
