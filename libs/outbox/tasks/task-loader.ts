import { messageOf } from '#core';
import { isOutage, type OrgDatabase } from '#database';
import type { Lane } from './lane.js';
import type { Task } from './task.js';

const RETRY_MS = 200;

/** What became of a task that was to be loaded. `lost`: its lease has run out meanwhile. */
export type LoadedTask =
  { kind: 'ready'; job: unknown } | { kind: 'obsolete' } | { kind: 'fault'; message: string } | { kind: 'lost' };

/** Loads what a lane's tasks need. */
export class TaskLoader {
  private readonly turns = new Map<string, Promise<unknown>>();
  private stopped = false;

  constructor(
    private readonly lane: Lane,
    private readonly database: OrgDatabase,
  ) {}

  /** Waits no longer for a database that is away. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * Loads tasks of one organization, by task id. Batches of an organization are loaded one after
   * the other, so that what was due first stays first. Never rejects.
   */
  async load(orgId: string, tasks: readonly Task[], claimedAt: number): Promise<Map<string, LoadedTask>> {
    const turn = (this.turns.get(orgId) ?? Promise.resolve()).then(() => this.loadNow(orgId, tasks, claimedAt));
    this.turns.set(orgId, turn);
    try {
      return await turn;
    } finally {
      if (this.turns.get(orgId) === turn) this.turns.delete(orgId);
    }
  }

  /**
   * A task that cannot be loaded must not take its neighbours along. While the database is away, loading is tried until
   * the leases have run out; then the tasks belong to whoever claims them next.
   */
  private async loadNow(orgId: string, tasks: readonly Task[], claimedAt: number): Promise<Map<string, LoadedTask>> {
    try {
      const jobs = await this.database.transaction(orgId, em => this.lane.load(em, orgId, tasks));
      return new Map(tasks.map(({ id }) => [id, loadedFrom(jobs.get(id))]));
    } catch (error) {
      if (isOutage(error)) {
        if (this.stopped || performance.now() - claimedAt > this.lane.leaseMs) return all(tasks, { kind: 'lost' });
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

function loadedFrom(job: unknown): LoadedTask {
  return job === undefined ? { kind: 'obsolete' } : { kind: 'ready', job };
}

function all(tasks: readonly Task[], loaded: LoadedTask): Map<string, LoadedTask> {
  return new Map(tasks.map(task => [task.id, loaded]));
}
