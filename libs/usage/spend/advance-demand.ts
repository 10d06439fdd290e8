/** Number of requests within a second from which an advance is worthwhile, because an advance costs two statements. */
const BUSY = 20;
const SLOT_MS = 1_000;
/** Minimum number of requests that an advance must cover. */
const LEAST_REQUESTS = 8n;
/** Divisor of a budget: a process reserves at most a two-hundredth of a budget in advance. */
const SHARE = 200n;

/** Measures the recent demand of this process's requests for the same windows. */
export class AdvanceDemand {
  private slot = Number.NEGATIVE_INFINITY;
  private count = 0;
  private sum = 0n;
  private countBefore = 0;
  private sumBefore = 0n;

  /** Counts a request. `now` is in milliseconds of a clock that only moves forward. */
  note(picodollars: bigint, now: number): void {
    this.moveTo(Math.floor(now / SLOT_MS));
    this.count++;
    this.sum += picodollars;
  }

  get isBusy(): boolean {
    return this.count >= BUSY || this.countBefore >= BUSY;
  }

  /**
   * The amount of an advance for about a second, in picodollars. Undefined if it would cover too few requests.
   * @param smallest the smallest amount of the budgets
   * @param one the amount that one request needs
   */
  sizeWithin(smallest: bigint, one: bigint): bigint | undefined {
    const wanted = this.sum > this.sumBefore ? this.sum : this.sumBefore;
    const most = smallest / SHARE;
    const size = wanted < most ? wanted : most;
    return size > 0n && size >= one * LEAST_REQUESTS ? size : undefined;
  }

  private moveTo(slot: number): void {
    if (slot === this.slot) return;
    const isNext = slot === this.slot + 1;
    this.countBefore = isNext ? this.count : 0;
    this.sumBefore = isNext ? this.sum : 0n;
    this.slot = slot;
    this.count = 0;
    this.sum = 0n;
  }
}
