const REMEMBERED_MS = 60_000;
const CAPACITY = 10_000;

/**
 * Which organizations have sent usage events again that were stored already, within the last minute: most likely they
 * go on doing so. Remembers up to 10,000 and forgets the oldest first.
 */
export class RecentResends {
  /** Until when, in milliseconds since 1970, by organization; the oldest note first. */
  private readonly until = new Map<string, number>();

  /** Notes that an organization has just sent an event again. */
  note(orgId: string, now: Date): void {
    // A key that is there keeps its place; the order must be that of the notes.
    this.until.delete(orgId);
    this.until.set(orgId, now.getTime() + REMEMBERED_MS);
    if (this.until.size <= CAPACITY) return;
    const oldest = this.until.keys().next();
    if (!oldest.done) this.until.delete(oldest.value);
  }

  /** Whether an organization has sent an event again within the last minute. */
  has(orgId: string, now: Date): boolean {
    const until = this.until.get(orgId);
    if (until === undefined) return false;
    if (now.getTime() < until) return true;
    this.until.delete(orgId);
    return false;
  }
}
