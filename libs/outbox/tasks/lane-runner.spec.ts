import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import type { OrgDatabase } from '#database';
import { until } from '../testing/replica.js';
import { ScriptedLane } from '../testing/scripted.lane.js';
import { LaneRunner } from './lane-runner.js';
import type { Allowances } from './slots.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

/** Tasks in the order in which they are due, which are given out at once, whatever is allowed. */
class ScriptedStore {
  readonly given: Task[] = [];
  readonly allowances: Allowances[] = [];
  readonly released: string[] = [];
  releasing = Promise.resolve();

  async claim(_lane: string, _want: number, _others: number, freeOf: Allowances) {
    this.allowances.push(freeOf);
    return { tasks: this.given.splice(0), contended: false };
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
}

const ORG = newId();

function task(key = 'k'): Task {
  const claim = { attempt: 1, interruptions: 0, interruptedAt: null, subject: {}, dueAt: '2026-11-20 12:00:00+00' };
  return { ...claim, orgId: ORG, id: newId(), key, leaseToken: newId() };
}

/** A worker's lane with one slot, whose attempts wait until they are let go on, and what it claims. */
function atWork() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>();
  const store = new ScriptedStore();
  const lane = new ScriptedLane('lane', { slots: 1, perform: () => passed });
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
  const ignore = (): void => undefined;
  // Nothing else of either is asked for.
  const db = database as unknown as OrgDatabase;
  const tasks = store as unknown as TaskStore;
  const runner = new LaneRunner(lane, db, tasks, ignore, ignore);
  return { runner, store, lane, open };
}

describe('a lane that has claimed ahead of its slots', () => {
  it('claims nothing of a key of which tasks are on their way back: they were due first', async () => {
    const { runner, store, lane, open } = atWork();
    const [underWay, waiting] = [task(), task()];
    store.given.push(underWay, waiting);
    await runner.pump();
    await until(() => lane.atWork === 1);
    const { promise: releasing, resolve: released } = Promise.withResolvers<void>();
    store.releasing = releasing;
    runner.recall('k');
    open();
    await until(() => lane.settled.length === 1);
    const claims = store.allowances.length;
    await runner.pump();
    expect(store.allowances.length).toBeGreaterThan(claims);
    expect(store.allowances.at(-1)?.get('k')).toBe(0);

    released();
    await until(() => store.released.includes(waiting.id));
    await runner.pump();
    expect(store.allowances.at(-1)?.get('k')).not.toBe(0);
    expect(lane.begun).toEqual([underWay]);
    runner.close();
  });
});
