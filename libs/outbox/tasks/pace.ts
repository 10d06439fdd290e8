/** Shorter spans say too little. */
const SPAN_MS = 20;
/** Weight of the newest span. */
const NEWEST = 0.5;

/** How fast something happens, as it was in the last moments. */
export class Pace {
  private perMs = 0;
  private counted = 0;
  private since: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.since = now();
  }

  /** It has happened once. */
  count(): void {
    this.counted++;
  }

  /** How often it will happen in so many milliseconds, if it goes on like this. */
  in(milliseconds: number): number {
    const span = this.now() - this.since;
    if (span >= SPAN_MS) {
      // After a long pause the pace of before says nothing.
      const weight = Math.max(NEWEST, Math.min(1, span / 1_000));
      this.perMs += (this.counted / span - this.perMs) * weight;
      this.since += span;
      this.counted = 0;
    }
    return Math.ceil(this.perMs * milliseconds);
  }
}
