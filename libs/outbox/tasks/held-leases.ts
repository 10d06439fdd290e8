import type { Lane } from './lane.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** A lease is renewed before its task is performed where this share of it has passed with loading and waiting. */
const STALE_SHARE = 4;

/** The leases that this process holds in a lane. */
export class HeldLeases {
  /** By themselves and not by their ids: a lease that ran out may have been claimed again here. */
  private readonly tasks = new Set<Task>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly lane: Lane,
    private readonly store: TaskStore,
  ) {}

  /** How many there are. */
  get size(): number {
    return this.tasks.size;
  }

  /** Takes one on, and has it renewed for as long as it is held, where the lane wants that. */
  add(task: Task): void {
    this.tasks.add(task);
    if (this.lane.renews) this.renewal ??= setInterval(() => void this.renew(), this.lane.leaseMs / 3).unref();
  }

  /** Lets one go. */
  delete(task: Task): void {
    this.tasks.delete(task);
  }

  /**
   * Whether a task may be performed. A lease of which a good part has passed is renewed, so that `perform` has the time
   * that it was promised.
   */
  async isGood(task: Task, claimedAt: number): Promise<boolean> {
    const { leaseMs } = this.lane;
    if ((performance.now() - claimedAt) * STALE_SHARE < leaseMs) return true;
    try {
      return (await this.store.renew([task], leaseMs)).has(task.id);
    } catch {
      // Nobody knows; the lease that was given still lasts for its second half.
      return (performance.now() - claimedAt) * 2 < leaseMs;
    }
  }

  /** Ends the renewals. */
  close(): void {
    clearInterval(this.renewal);
  }

  private async renew(): Promise<void> {
    if (this.size > 0) await this.store.renew([...this.tasks], this.lane.leaseMs).catch(() => undefined);
  }
}
