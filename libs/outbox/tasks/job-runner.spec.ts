import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import type { OrgDatabase } from '#database';
import { until } from '../testing/replica.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';
import { JobRunner } from './job-runner.js';
import type { Allowances } from './slots.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** Tasks in the order in which they are due, which are given out at once, whatever is allowed. */
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
}

const ORG = newId();

function task(key = 'k'): Task {
  const claim = { attempt: 1, interruptions: 0, interruptedAt: null, subject: {}, dueAt: '2026-11-20 12:00:00+00' };
  return { ...claim, orgId: ORG, id: newId(), key, leaseToken: newId() };
}

/** A worker's queue with one slot, whose attempts wait until they are let go on, and what it claims. */
function atWork() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>();
  const store = new ScriptedStore();
  const job = new ScriptedJob('queue', { slots: 1, perform: () => passed });
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
  const ignore = (): void => undefined;
  // Nothing else of either is asked for.
  const db = database as unknown as OrgDatabase;
  const tasks = store as unknown as TaskStore;
  const runner = new JobRunner(job, db, tasks, ignore, ignore);
  return { runner, store, job, open };
}

describe('a queue that has claimed ahead of its slots', () => {
  it('claims nothing of a key of which tasks are on their way back: they were due first', async () => {
    const { runner, store, job, open } = atWork();
    const [underWay, waiting] = [task(), task()];
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
});

describe('a queue', () => {
  /** A worker's queue with slots to spare, and the claims it has made. */
  function idle(script: JobScript = {}) {
    const store = new ScriptedStore();
    const job = new ScriptedJob('queue', script);
    const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
    const ignore = (): void => undefined;
    // Nothing else of either is asked for.
    const db = database as unknown as OrgDatabase;
    const tasks = store as unknown as TaskStore;
    return { runner: new JobRunner(job, db, tasks, ignore, ignore), store, job };
  }

  const turns = () => new Promise(resolve => setTimeout(resolve, 50));

  it('claims no more when its work is done, where the claim before left nothing', async () => {
    const { runner, store, job } = idle();
    store.given.push(task());
    await runner.pump();
    await until(() => job.settled.length === 1);
    await turns();
    expect(store.allowances).toHaveLength(1);
    runner.close();
  });

  it.each<[string, JobScript]>([
    ['a task that goes on', { outcome: () => ({ againAfterMs: 0 }) }],
    ['a task that has failed', { perform: () => Promise.reject(new Error('bad')) }],
  ])('claims again after %s: it is due again', async (_, script) => {
    const { runner, store } = idle(script);
    store.given.push(task());
    await runner.pump();
    await until(() => store.allowances.length > 1);
    runner.close();
  });

  it('that was told of more while it had no room claims when it has', async () => {
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const { runner, store, job } = idle({ slots: 1, perform: () => passed });
    store.given.push(task());
    await runner.pump();
    await until(() => job.atWork === 1);
    const claims = store.allowances.length;
    const later = task();
    store.given.push(later);
    await runner.pump();
    expect(store.allowances).toHaveLength(claims);
    open();
    await until(() => job.settled.includes(later.id));
    runner.close();
  });

  it('claims again where a task has gone while a claim was under way that may have been denied its slot', async () => {
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const { runner, store, job } = idle({ slotsPerKey: 1, perform: () => passed });
    store.given.push(task());
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
