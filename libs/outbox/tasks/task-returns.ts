/** Keys that were recalled, and keys whose tasks are being returned. */
export class TaskReturns {
  private readonly recalls = new Map<string, number>();
  private readonly underWay = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Keys whose tasks are being returned. */
  get keys(): Iterable<string> {
    return this.underWay.keys();
  }

  /** Records that the tasks of a key that were claimed until now must be returned. Kept as long as a lease lasts. */
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

  /** Counts a task of a key that is being returned. */
  begin(key: string): void {
    this.count(key, 1);
  }

  /** Ends the return of a task, whether or not it succeeded. */
  end(key: string): void {
    this.count(key, -1);
  }

  private count(key: string, difference: number): void {
    const count = (this.underWay.get(key) ?? 0) + difference;
    if (count > 0) this.underWay.set(key, count);
    else this.underWay.delete(key);
  }
}
