/**
 * Shares the room for what is held in memory between organizations: each may take as much as is left free beside it, so
 * that one alone takes half, two a third each, and there is always room for another. Pure but for who waits.
 */
export class BufferRoom {
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();
  private used = 0;

  /**
   * @param total of all organizations together
   * @param least what each may hold however much the others do
   */
  constructor(
    private readonly total: number,
    private readonly least: number,
  ) {}

  /** Whether an organization may begin to add something, however large that turns out to be. */
  isFree(orgId: string): boolean {
    const held = this.held.get(orgId) ?? 0;
    return held < this.least || held < this.total - this.used;
  }

  /** Calls back once there is room for an organization; returns how to wait no longer. */
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

  /** Gives room back, and wakes organizations that wait for it. */
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
