import type { JobHandler } from './job-handler.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** The leases that this process holds in a queue. */
export class HeldLeases {
  /** By themselves and not by their ids: a lease that ran out may have been claimed again here. */
  private readonly tasks = new Set<Task>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly job: JobHandler,
    private readonly store: Pick<TaskStore, 'renew'>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** How many there are. */
  get size(): number {
    return this.tasks.size;
  }

  /** Takes one on, and has it renewed for as long as it is held, where the queue wants that. */
  add(task: Task): void {
    this.tasks.add(task);
    if (this.job.renews) this.renewal ??= setInterval(() => void this.renew(), this.job.leaseMs / 3).unref();
  }

  /** Lets one go. */
  delete(task: Task): void {
    this.tasks.delete(task);
  }

  /**
   * Whether a task may be performed: only where its lease lasts for longer than that may take. Where too much of it has
   * passed with loading and waiting, it is renewed; where that fails, the task is left to whoever claims it next.
   * @param claimedAt reading of the monotonic clock before the claim was asked for
   */
  async isGood(task: Task, claimedAt: number): Promise<boolean> {
    if (this.lastsFrom(claimedAt)) return true;
    // Renewed at the latest when the answer comes, and at the earliest now.
    const askedAt = this.now();
    const renewed = await this.store.renew([task], this.job.leaseMs).catch(() => undefined);
    return renewed !== undefined && renewed.has(task.id) && this.lastsFrom(askedAt);
  }

  /** Ends the renewals. */
  close(): void {
    clearInterval(this.renewal);
  }

  /** Whether what is left of a lease that began at a time suffices. */
  private lastsFrom(begun: number): boolean {
    return this.now() - begun + this.job.performMs < this.job.leaseMs;
  }

  private async renew(): Promise<void> {
    if (this.size > 0) await this.store.renew([...this.tasks], this.job.leaseMs).catch(() => undefined);
  }
}
