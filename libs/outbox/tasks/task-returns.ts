/** Keys that were recalled, and keys of which tasks are on their way back. */
export class TaskReturns {
  private readonly recalls = new Map<string, number>();
  private readonly underWay = new Map<string, number>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Keys of which tasks are on their way back. */
  get keys(): Iterable<string> {
    return this.underWay.keys();
  }

  /** Notes that what was claimed of a key until now goes back. It is remembered for as long as a lease lasts. */
  recall(key: string, leaseMs: number): void {
    const now = this.now();
    for (const [other, at] of this.recalls) if (now - at > leaseMs) this.recalls.delete(other);
    this.recalls.set(key, now);
  }

  /** Whether a key was recalled since its task was claimed. */
  isRecalled(key: string, claimedAt: number): boolean {
    const at = this.recalls.get(key);
    return at !== undefined && at >= claimedAt;
  }

  /** A task of a key is on its way back. */
  begin(key: string): void {
    this.count(key, 1);
  }

  /** A task of a key has arrived, or will not. */
  end(key: string): void {
    this.count(key, -1);
  }

  private count(key: string, difference: number): void {
    const count = (this.underWay.get(key) ?? 0) + difference;
    if (count > 0) this.underWay.set(key, count);
    else this.underWay.delete(key);
  }
}
