import { setTimeout as sleep } from 'node:timers/promises';

/** Connectors that are remembered before those are forgotten whose turn is over. */
const REMEMBERED = 1_000;

/**
 * Has requests to one platform that come together begin one after the other. What begins in one moment on a platform that
 * takes two seconds for everything is answered in one moment too, and would hold up whatever else the process does then.
 */
export class Spacing {
  private readonly next = new Map<string, number>();

  /** @param apartMs milliseconds from one beginning to the next */
  constructor(private readonly apartMs: number) {}

  /** Resolves when it is the caller's turn; at once, where nobody has just begun. */
  async turn(connectorId: string): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, this.next.get(connectorId) ?? 0);
    if (this.next.size >= REMEMBERED) for (const [id, next] of this.next) if (next <= now) this.next.delete(id);
    this.next.set(connectorId, at + this.apartMs);
    if (at > now) await sleep(at - now, undefined, { ref: false });
  }
}
