import { setImmediate as nextTurn } from 'node:timers/promises';

/** Default length of a time slice in milliseconds. */
const SLICE_MS = 5;

/** Yields to the event loop after each slice of long work, so that other requests are not delayed. */
export class TimeSlice {
  private endsAt: number;

  /** @param lengthMs length of a slice in milliseconds. Default: 5. */
  constructor(private readonly lengthMs = SLICE_MS) {
    this.endsAt = performance.now() + lengthMs;
  }

  /** Call it between two steps. It yields to the event loop if the time slice is over. */
  async next(): Promise<void> {
    if (performance.now() < this.endsAt) return;
    await nextTurn();
    this.endsAt = performance.now() + this.lengthMs;
  }
}
