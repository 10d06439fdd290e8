/** From this number of requests within a second on, an advance is worth its two statements. */
const BUSY = 20;
const SLOT_MS = 1_000;
/** An advance for fewer requests is not made. */
const LEAST_REQUESTS = 8n;
/** One process may reserve at most this part of a budget in advance: a two-hundredth. */
const SHARE = 200n;

/** Recent demand of this process's requests for the same windows. */
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
   * Picodollars of an advance for about a second, or undefined if it would cover too few requests.
   * @param smallest the smallest amount of the budgets
   * @param one what one request needs
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
