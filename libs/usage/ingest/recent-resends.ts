import { LRUCache } from 'lru-cache';

const REMEMBERED_MS = 60_000;
const CAPACITY = 10_000;

/**
 * Which organizations have sent usage events again that were stored already, within the last minute: most likely they
 * go on doing so. Remembers up to 10,000 and forgets the oldest first.
 */
export class RecentResends {
  /** Until when, in milliseconds since 1970, by organization. Reading by `peek` keeps the order that of the notes. */
  private readonly until = new LRUCache<string, number>({ max: CAPACITY });

  /** Notes that an organization has just sent an event again. */
  note(orgId: string, now: Date): void {
    this.until.set(orgId, now.getTime() + REMEMBERED_MS);
  }

  /** Whether an organization has sent an event again within the last minute. */
  has(orgId: string, now: Date): boolean {
    const until = this.until.peek(orgId);
    return until !== undefined && now.getTime() < until;
  }
}
