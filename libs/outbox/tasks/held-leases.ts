import type { JobHandler } from './job-handler.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** The leases that this process holds in a queue. */
export class HeldLeases {
  /**
   * Tasks are compared by identity. After a lease has expired, this process may claim the same task again, as another
   * object.
   */
  private readonly tasks = new Set<Task>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly job: JobHandler,
    private readonly store: Pick<TaskStore, 'renew'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Number of held leases. */
  get size(): number {
    return this.tasks.size;
  }

  /** Adds a lease. If the job handler sets `renews`, leases are renewed while they are held. */
  add(task: Task): void {
    this.tasks.add(task);
    if (this.job.renews) this.renewal ??= setInterval(() => void this.renew(), this.job.leaseMs / 3).unref();
  }

  /** Removes a lease. */
  delete(task: Task): void {
    this.tasks.delete(task);
  }

  /**
   * Whether a task may be started: its lease must outlast the longest possible attempt. If loading and waiting took too
   * long, the lease is renewed. If the renewal fails, the task is left for the next claim.
   * @param claimedAt reading of the monotonic clock before the claim
   */
  async isGood(task: Task, claimedAt: number): Promise<boolean> {
    if (this.lastsFrom(claimedAt)) return true;
    // The renewed lease begins at some time between now and the response. Assuming that it begins now is safe.
    const askedAt = this.now();
    const renewed = await this.store.renew([task], this.job.leaseMs).catch(() => undefined);
    return renewed !== undefined && renewed.has(task.id) && this.lastsFrom(askedAt);
  }

  /** Stops the renewals. */
  close(): void {
    clearInterval(this.renewal);
  }

  /** Whether a lease that began at the given time outlasts an attempt that starts now. */
  private lastsFrom(begun: number): boolean {
    return this.now() - begun + this.job.performMs < this.job.leaseMs;
  }

  private async renew(): Promise<void> {
    if (this.size > 0) await this.store.renew([...this.tasks], this.job.leaseMs).catch(() => undefined);
  }
}
