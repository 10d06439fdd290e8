import type { ManualClock } from '../../support/manual-clock.js';
import type { MovedTime } from '../../support/moved-time.js';
import type { TestApp } from '../../support/test-app.js';
import { sleep } from '../processes/chance.js';
import { HELD } from './month-requests.js';
import type { KillableWorker } from './workers.js';

/** Longer than a lease of the ticket queues. */
const LEASE_MS = 20_000;
/** Maximum time in which no task ends. It is long, because the machine may be busy and a worker may restart. */
const QUIET_WITHIN_MS = 300_000;
/** If no task ends within this time, the tasks count as held by a killed worker. */
const STUCK_MS = 15_000;

/** The clocks that show the time of a month. */
export interface MonthClocks {
  readonly app: TestApp;
  readonly clock: ManualClock;
  readonly time: MovedTime;
  /** Runs the ticket tasks in a separate process. Without this worker, the app runs them. */
  readonly worker?: KillableWorker;
}

/** The time of a month. It stands still until it is moved. */
export class MonthTime {
  private kills = 0;

  constructor(private readonly world: MonthClocks) {}

  /**
   * Moves the clock. Waits first until no task is due or under way: the lease of a request under way would expire, so
   * another worker would send the same request at the same time. Platforms do not recognize such a request.
   */
  async move(milliseconds: number): Promise<void> {
    await this.untilNone(`(${HELD} or lease_token is null and due_at <= governance.now())`);
    await this.jump(milliseconds);
  }

  /** Waits until nothing is due. Calls `meanwhile` in each round. */
  async untilQuiet(meanwhile: () => Promise<void>): Promise<void> {
    await this.untilNone(`(lease_token is not null or due_at <= governance.now())`, async () => {
      await this.freeLeases();
      await meanwhile();
    });
  }

  private async jump(milliseconds: number): Promise<void> {
    const { clock, time, worker } = this.world;
    clock.advance(milliseconds);
    worker?.setClock(clock.now());
    await time.advance(milliseconds);
  }

  /** Waits until a condition holds for no task. */
  private async untilNone(which: string, meanwhile?: () => Promise<void>): Promise<void> {
    const progress = { due: Infinity, at: performance.now(), freedAt: performance.now() };
    for (;;) {
      const due = await this.countTasks(which);
      if (due === 0) return;
      await this.goOn(progress, due);
      await meanwhile?.();
      const wake = `select pg_notify('governance_tasks', q) from unnest(array['itsm', 'itsm-changes', 'itsm-reconcile']) q`;
      await this.world.app.database.asOwner(wake);
      await sleep(20);
    }
  }

  /**
   * Ends leases if no task has ended for a while: a claim that was committed after its process was killed also holds
   * tasks.
   * @throws Error if nothing ends for a long time
   */
  private async goOn(progress: { due: number; at: number; freedAt: number }, due: number): Promise<void> {
    const now = performance.now();
    if (this.world.worker?.failure) throw this.world.worker.failure;
    if (due !== progress.due) Object.assign(progress, { due, at: now, freedAt: now });
    if (now - progress.at > QUIET_WITHIN_MS) throw new Error(`${due} tasks are still due`);
    if (!this.world.worker || now - progress.freedAt < STUCK_MS) return;
    progress.freedAt = now;
    await this.jump(LEASE_MS);
  }

  /** Lets the leases of a killed process expire. */
  private async freeLeases(): Promise<void> {
    const { kills = 0 } = this.world.worker ?? {};
    if (kills === this.kills) return;
    this.kills = kills;
    await this.move(LEASE_MS);
  }

  /** The number of ticket tasks that meet a condition. */
  async countTasks(which: string): Promise<number> {
    const [row] = await this.world.app.database.asOwner<{ tasks: number }>(
      `select count(*)::int as tasks from governance.tasks
       where queue like 'itsm%' and quarantined_at is null and ${which}`,
    );
    return row?.tasks ?? 0;
  }
}
