import { describe, expect, it } from '@jest/globals';
import type { OrgDatabase } from '#database';
import { leasedTask, until } from '../testing/replica.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';
import { JobRunner } from './job-runner.js';
import type { Allowances } from './slots.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** A store whose claims return all given tasks and ignore the allowances. */
class ScriptedStore {
  readonly given: Task[] = [];
  readonly allowances: Allowances[] = [];
  readonly released: string[] = [];
  releasing = Promise.resolve();
  claiming = Promise.resolve();

  async claim(_queue: string, _want: number, _others: number, freeOf: Allowances) {
    this.allowances.push(freeOf);
    const tasks = this.given.splice(0);
    await this.claiming;
    return { tasks, contended: false, isCutShort: false };
  }

  async release(tasks: readonly Task[]): Promise<void> {
    await this.releasing;
    this.released.push(...tasks.map(task => task.id));
  }

  async renew(tasks: readonly Task[]): Promise<Set<string>> {
    return new Set(tasks.map(task => task.id));
  }

  async end(_em: unknown, _orgId: string, ends: readonly { task: Task }[]): Promise<Set<string>> {
    return new Set(ends.map(({ task }) => task.id));
  }

  async fault(): Promise<Set<string>> {
    return new Set();
  }

  async park(): Promise<boolean> {
    return false;
  }
}

/** A job runner, and the store that records its claims. */
function runnerOf(script: JobScript = {}) {
  const store = new ScriptedStore();
  const job = new ScriptedJob('queue', script);
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
  const ignore = (): void => undefined;
  // The runner uses only these members of both classes.
  const db = database as unknown as OrgDatabase;
  const tasks = store as unknown as TaskStore;
  return { runner: new JobRunner(job, db, tasks, ignore, ignore), store, job };
}

describe('a job runner', () => {
  it('claims no tasks of a key whose tasks are being returned', async () => {
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const { runner, store, job } = runnerOf({ slots: 1, perform: () => passed });
    const [underWay, waiting] = [leasedTask(), leasedTask()];
    store.given.push(underWay, waiting);
    await runner.pump();
    await until(() => job.atWork === 1);
    const { promise: releasing, resolve: released } = Promise.withResolvers<void>();
    store.releasing = releasing;
    runner.recall('k');
    open();
    await until(() => job.settled.length === 1);
    const claims = store.allowances.length;
    await runner.pump();
    expect(store.allowances.length).toBeGreaterThan(claims);
    expect(store.allowances.at(-1)?.get('k')).toBe(0);

    released();
    await until(() => store.released.includes(waiting.id));
    await runner.pump();
    expect(store.allowances.at(-1)?.get('k')).not.toBe(0);
    expect(job.begun).toEqual([underWay]);
    runner.close();
  });
  const turns = () => new Promise(resolve => setTimeout(resolve, 50));

  it('does not claim again after a claim that left no tasks', async () => {
    const { runner, store, job } = runnerOf();
    store.given.push(leasedTask());
    await runner.pump();
    await until(() => job.settled.length === 1);
    await turns();
    expect(store.allowances).toHaveLength(1);
    runner.close();
  });

  it.each<[string, JobScript]>([
    ['a task that continues', { outcome: () => ({ againAfterMs: 0 }) }],
    ['a task that has failed', { perform: () => Promise.reject(new Error('bad')) }],
  ])('claims again after %s, which is due again', async (_, script) => {
    const { runner, store } = runnerOf(script);
    store.given.push(leasedTask());
    await runner.pump();
    await until(() => store.allowances.length > 1);
    runner.close();
  });

  it('claims when a slot becomes free after it was woken without free slots', async () => {
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const { runner, store, job } = runnerOf({ slots: 1, perform: () => passed });
    store.given.push(leasedTask());
    await runner.pump();
    await until(() => job.atWork === 1);
    const claims = store.allowances.length;
    const later = leasedTask();
    store.given.push(later);
    await runner.pump();
    expect(store.allowances).toHaveLength(claims);
    open();
    await until(() => job.settled.includes(later.id));
    runner.close();
  });

  it('claims again when a task ends during a claim that did not count its slot', async () => {
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const { runner, store, job } = runnerOf({ slotsPerKey: 1, perform: () => passed });
    store.given.push(leasedTask());
    await runner.pump();
    await until(() => job.atWork === 1);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    store.claiming = answered;
    const claims = store.allowances.length;
    const pumped = runner.pump();
    await until(() => store.allowances.length > claims);
    expect(store.allowances.at(-1)?.get('k')).toBe(0);
    open();
    await until(() => job.settled.length === 1);
    await turns();
    answer();
    await pumped;
    expect(store.allowances.length).toBeGreaterThan(claims + 1);
    runner.close();
  });
});
