/**
 * Shares a memory budget between organizations. Each organization may use at most as much as remains free. A single
 * organization gets half, two get a third each. There is therefore always room for another organization.
 */
export class BufferRoom {
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private used = 0;

  /**
   * @param total limit for all organizations together
   * @param least minimum that every organization may use
   */
  constructor(
    private readonly total: number,
    private readonly least: number,
  ) {}

  /** Whether an organization may add another item. The size of the item does not matter. */
  isFree(orgId: string): boolean {
    const held = this.held.get(orgId) ?? 0;
    return held < this.least || held < this.total - this.used;
  }

  /** Calls back as soon as an organization has room. Returns a function that cancels the wait. */
  wait(orgId: string, free: () => void): () => void {
    const waiting = this.waiting.get(orgId) ?? new Set();
    this.waiting.set(orgId, waiting.add(free));
    return () => {
      waiting.delete(free);
      if (waiting.size === 0 && this.waiting.get(orgId) === waiting) this.waiting.delete(orgId);
    };
  }

  take(orgId: string, weight: number): void {
    this.used += weight;
    this.held.set(orgId, (this.held.get(orgId) ?? 0) + weight);
  }

  /** Frees room, and wakes waiting organizations. */
  give(orgId: string, weight: number): void {
    const held = (this.held.get(orgId) ?? 0) - weight;
    this.used -= weight;
    if (held > 0) this.held.set(orgId, held);
    else this.held.delete(orgId);
    for (const [waitingOrg, waiting] of [...this.waiting]) {
      if (!this.isFree(waitingOrg)) continue;
      this.waiting.delete(waitingOrg);
      for (const free of waiting) free();
    }
  }
}
