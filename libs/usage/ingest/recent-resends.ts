import { LRUCache } from 'lru-cache';
import { boundedBy } from '#core';

const TTL_MS = 60_000;
const CAPACITY = 10_000;

/**
 * Remembers which organizations have sent duplicates within the last minute, because they will probably send more.
 * Remembers up to 10,000 organizations, and forgets the oldest first.
 */
export class RecentResends {
  /** Expiry in milliseconds since 1970, by organization. `peek` does not change the order of insertion. */
  private readonly until = new LRUCache<string, number>(boundedBy(CAPACITY));

  /** Records that an organization has sent a duplicate. */
  note(orgId: string, now: Date): void {
    this.until.set(orgId, now.getTime() + TTL_MS);
  }

  /** Whether an organization has sent a duplicate within the last minute. */
  has(orgId: string, now: Date): boolean {
    const until = this.until.peek(orgId);
    return until !== undefined && now.getTime() < until;
  }
}
