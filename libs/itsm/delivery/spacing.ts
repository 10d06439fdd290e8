import { setTimeout as sleep } from 'node:timers/promises';

/** Number of entries above which expired entries are removed. */
const CLEANUP_SIZE = 1_000;

/** A clock that never goes back, and a timer. */
export interface Timer {
  /** Milliseconds since an arbitrary moment. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

const PROCESS_TIMER: Timer = {
  now: () => performance.now(),
  sleep: milliseconds => sleep(milliseconds, undefined, { ref: false }),
};

/**
 * Spaces out requests to one platform that arrive together. If they started at the same moment, a slow platform would
 * also answer them at the same moment. Handling all answers at once would block the event loop.
 */
export class Spacing {
  private readonly next = new Map<string, number>();

  /** @param apartMs milliseconds between the starts of two requests */
  constructor(
    private readonly apartMs: number,
    private readonly timer = PROCESS_TIMER,
  ) {}

  /** Resolves when the caller may start: at once if no other request has just started. */
  async turn(connectorId: string): Promise<void> {
    const now = this.timer.now();
    const at = Math.max(now, this.next.get(connectorId) ?? 0);
    if (this.next.size >= CLEANUP_SIZE) for (const [id, next] of this.next) if (next <= now) this.next.delete(id);
    this.next.set(connectorId, at + this.apartMs);
    if (at > now) await this.timer.sleep(at - now);
  }
}
