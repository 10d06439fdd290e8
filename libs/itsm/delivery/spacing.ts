import { setTimeout as sleep } from 'node:timers/promises';

/** Number of entries from which expired ones are removed. */
const CLEANUP_SIZE = 1_000;

/** A clock that never goes back, with a timer. */
export interface Timer {
  /** Milliseconds since any moment. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

const PROCESS_TIMER: Timer = {
  now: () => performance.now(),
  sleep: milliseconds => sleep(milliseconds, undefined, { ref: false }),
};

/**
 * Spaces out requests to one platform that arrive together. Requests that start at the same moment on a slow platform
 * are also answered at the same moment, and handling all answers at once would block the event loop.
 */
export class Spacing {
  private readonly next = new Map<string, number>();

  /** @param apartMs milliseconds between the starts of two requests */
  constructor(
    private readonly apartMs: number,
    private readonly timer = PROCESS_TIMER,
  ) {}

  /** Resolves when the caller may start; immediately if no request has just started. */
  async turn(connectorId: string): Promise<void> {
    const now = this.timer.now();
    const at = Math.max(now, this.next.get(connectorId) ?? 0);
    if (this.next.size >= CLEANUP_SIZE) for (const [id, next] of this.next) if (next <= now) this.next.delete(id);
    this.next.set(connectorId, at + this.apartMs);
    if (at > now) await this.timer.sleep(at - now);
  }
}
