/** Records which keys were recalled, and which keys have tasks that are being returned. */
export class TaskReturns {
  private readonly recalls = new Map<string, number>();
  private readonly underWay = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Keys whose tasks are being returned. */
  get keys(): Iterable<string> {
    return this.underWay.keys();
  }

  /**
   * Records that all tasks of a key that were claimed until now must be returned. The record is kept for the duration
   * of a lease.
   */
  recall(key: string, leaseMs: number): void {
    const now = this.now();
    for (const [other, at] of this.recalls) if (now - at > leaseMs) this.recalls.delete(other);
    this.recalls.set(key, now);
  }

  /** Whether a key was recalled after its task was claimed. */
  isRecalled(key: string, claimedAt: number): boolean {
    const at = this.recalls.get(key);
    return at !== undefined && at >= claimedAt;
  }

  /** Counts a task of a key whose return has begun. */
  begin(key: string): void {
    this.count(key, 1);
  }

  /** Counts a task whose return has ended, also if it failed. */
  end(key: string): void {
    this.count(key, -1);
  }

  private count(key: string, difference: number): void {
    const count = (this.underWay.get(key) ?? 0) + difference;
    if (count > 0) this.underWay.set(key, count);
    else this.underWay.delete(key);
  }
}
