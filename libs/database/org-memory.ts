import type { ChangeFeed } from './change-feed.js';

/**
 * Cache of one value per organization. The value is loaded on first use, and reloaded when one of its topics changes on
 * any replica. While the database is unavailable, the last value stays. Each organization has at most one running load,
 * so that an older value never replaces a newer one. When an organization is deleted, its entry is removed.
 */
export class OrgMemory<T> {
  private readonly held = new Map<string, T>();
  private readonly reading = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();
  /** Incremented at each reset, so that a value that was read before the reset is discarded. */
  private resets = 0;

  /**
   * @param read loads the current value of an organization; called again after a failure. Its argument is the last
   * value. `read` may update that value instead of loading everything
   */
  constructor(
    private readonly changes: Pick<ChangeFeed, 'subscribe' | 'watch' | 'onReset'>,
    topics: readonly string[],
    private readonly read: (orgId: string, held: T | undefined) => Promise<T>,
  ) {
    for (const topic of topics) {
      changes.subscribe(topic, async orgId => {
        // A running load may have read the data before the change, so load again.
        if (this.held.has(orgId) || this.reading.has(orgId)) await this.refresh(orgId);
      });
    }
    // The reset may be the deletion of the organization. A new organization may get the same id, so nothing may stay.
    changes.onReset(orgId => {
      this.resets++;
      this.held.delete(orgId);
    });
  }

  /** The cached value; undefined if the organization was never loaded. */
  peek(orgId: string): T | undefined {
    return this.held.get(orgId);
  }

  /**
   * The cached value, or else the result of a load. All concurrent callers share the load. Rejects if nothing is cached
   * and the database cannot be read. Failures are not cached.
   */
  async of(orgId: string): Promise<T> {
    return this.held.get(orgId) ?? this.reading.get(orgId) ?? this.start(orgId);
  }

  /** Starts a new load. For callers that know of a change. Rejects if the load fails. */
  refresh(orgId: string): Promise<T> {
    const running = this.reading.get(orgId);
    if (!running) return this.start(orgId);
    const waiting = this.next.get(orgId);
    if (waiting) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.next.delete(orgId);
        // If another load has started in the meantime, it already sees the change.
        return this.reading.get(orgId) ?? this.start(orgId);
      });
    this.next.set(orgId, next);
    return next;
  }

  private start(orgId: string): Promise<T> {
    const reading = this.watchAndRead(orgId).finally(() => this.reading.delete(orgId));
    this.reading.set(orgId, reading);
    return reading;
  }

  private async watchAndRead(orgId: string): Promise<T> {
    await this.changes.watch(orgId);
    const before = this.resets;
    const state = await this.read(orgId, this.held.get(orgId));
    if (before !== this.resets) return this.watchAndRead(orgId);
    this.held.set(orgId, state);
    return state;
  }
}
