import type { ChangeFeed } from './change-feed.js';

/**
 * Something of every organization that is kept in memory: read when it is first asked for, and again whenever one of its
 * topics changes on any replica. While the database is away, what was read last stays. An older answer never takes the
 * place of a newer one, because an organization has one reading at a time. An organization that is deleted is forgotten.
 */
export class OrgMemory<T> {
  private readonly held = new Map<string, T>();
  private readonly reading = new Map<string, Promise<T>>();
  private readonly next = new Map<string, Promise<T>>();
  /** Grows with every deletion, so that what was read before is not kept after. */
  private deletions = 0;

  /**
   * @param read reads an organization's state as it is now; called again where it failed. It gets what was read last, for
   * those who bring that up to date instead of reading everything again.
   */
  constructor(
    private readonly changes: Pick<ChangeFeed, 'subscribe' | 'watch' | 'onDeletion'>,
    topics: readonly string[],
    private readonly read: (orgId: string, held: T | undefined) => Promise<T>,
  ) {
    for (const topic of topics) {
      changes.subscribe(topic, async orgId => {
        // What is being read now may have been read before the change.
        if (this.held.has(orgId) || this.reading.has(orgId)) await this.refresh(orgId);
      });
    }
    // Another organization may be made with the same id.
    changes.onDeletion(orgId => {
      this.deletions++;
      this.held.delete(orgId);
    });
  }

  /** What is in memory; undefined where nobody has asked for the organization yet. */
  peek(orgId: string): T | undefined {
    return this.held.get(orgId);
  }

  /**
   * What is in memory, or a reading that all share who ask meanwhile. Rejects where nothing is in memory and the database
   * cannot be read; a failure is not kept.
   */
  async of(orgId: string): Promise<T> {
    return this.held.get(orgId) ?? this.reading.get(orgId) ?? this.start(orgId);
  }

  /** A reading that begins from now on, for those who know of something newer. Rejects where it fails. */
  refresh(orgId: string): Promise<T> {
    const running = this.reading.get(orgId);
    if (!running) return this.start(orgId);
    const waiting = this.next.get(orgId);
    if (waiting) return waiting;
    const next = running
      .catch(() => undefined)
      .then(() => {
        this.next.delete(orgId);
        // One that has begun since is as good.
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
    const before = this.deletions;
    const state = await this.read(orgId, this.held.get(orgId));
    if (before !== this.deletions) return this.watchAndRead(orgId);
    this.held.set(orgId, state);
    return state;
  }
}
