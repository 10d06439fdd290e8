import { messageOf } from '#core';
import { isOutage, type OrgDatabase } from '#database';
import type { JobHandler } from './job-handler.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

const RETRY_MS = 200;

/** The result of loading a task. `lost`: its lease has expired in the meantime, or its organization is suspended. */
export type LoadedTask =
  { kind: 'ready'; work: unknown } | { kind: 'obsolete' } | { kind: 'fault'; message: string } | { kind: 'lost' };

/** Tasks that are loaded together. `claimedAt` is the time of the earliest claim. */
interface Batch {
  readonly tasks: Task[];
  readonly claimedAt: number;
  readonly loaded: Promise<Map<string, LoadedTask>>;
}

/** Loads the data of a queue's tasks. */
export class TaskLoader {
  /** The running batch and the next batch of each organization. */
  private readonly turns = new Map<string, { underWay: Promise<unknown>; next?: Batch }>();
  private stopped = false;

  constructor(
    private readonly job: JobHandler,
    private readonly database: OrgDatabase,
    private readonly store: Pick<TaskStore, 'park'>,
  ) {}

  /** Stops the retries that wait for an unreachable database. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Loads tasks of one organization. Returns the results by task id. Batches of an organization are loaded one after
   * another, to keep the order of due times. Tasks that arrive while a batch is loaded form the next batch. Never
   * rejects.
   */
  load(orgId: string, tasks: readonly Task[], claimedAt: number): Promise<Map<string, LoadedTask>> {
    if (tasks.length === 0) return Promise.resolve(new Map());
    const turn = this.turns.get(orgId);
    if (!turn) return this.begin(orgId, { tasks: [...tasks], claimedAt });
    if (turn.next) {
      turn.next.tasks.push(...tasks);
      return turn.next.loaded;
    }
    const batch = { tasks: [...tasks], claimedAt };
    const loaded = turn.underWay.then(() => this.begin(orgId, batch));
    turn.next = { ...batch, loaded };
    return loaded;
  }

  private async begin(orgId: string, { tasks, claimedAt }: Omit<Batch, 'loaded'>): Promise<Map<string, LoadedTask>> {
    const underWay = this.loadNow(orgId, tasks, claimedAt);
    const turn = { underWay };
    this.turns.set(orgId, turn);
    const loaded = await underWay;
    // If there is a next batch, it begins in the same tick and needs the entry.
    if (!this.turns.get(orgId)?.next) this.turns.delete(orgId);
    return loaded;
  }

  /**
   * Loads a batch. If this fails, its halves are loaded separately, so that only the faulty task fails. During an
   * outage of the database, loading is retried until the leases expire. The tasks are then left for the next claim.
   */
  private async loadNow(orgId: string, tasks: readonly Task[], claimedAt: number): Promise<Map<string, LoadedTask>> {
    try {
      if (await this.store.park(orgId, tasks)) return all(tasks, { kind: 'lost' });
      const work = await this.database.transaction(orgId, em => this.job.load(em, orgId, tasks));
      return new Map(tasks.map(({ id }) => [id, loadedFrom(work.get(id))]));
    } catch (error) {
      if (isOutage(error)) {
        if (this.stopped || performance.now() - claimedAt > this.job.leaseMs) return all(tasks, { kind: 'lost' });
        await new Promise(resolve => setTimeout(resolve, RETRY_MS));
        return this.loadNow(orgId, tasks, claimedAt);
      }
      if (tasks.length === 1) return all(tasks, { kind: 'fault', message: messageOf(error) });
      const middle = tasks.length >>> 1;
      const first = await this.loadNow(orgId, tasks.slice(0, middle), claimedAt);
      return new Map([...first, ...(await this.loadNow(orgId, tasks.slice(middle), claimedAt))]);
    }
  }
}

function loadedFrom(work: unknown): LoadedTask {
  return work === undefined ? { kind: 'obsolete' } : { kind: 'ready', work };
}

function all(tasks: readonly Task[], loaded: LoadedTask): Map<string, LoadedTask> {
  return new Map(tasks.map(task => [task.id, loaded]));
}
