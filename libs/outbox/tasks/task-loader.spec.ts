import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import type { OrgDatabase } from '#database';
import { leasedTask, until } from '../testing/replica.js';
import { ScriptedJob } from '../testing/scripted.job.js';
import { TaskLoader } from './task-loader.js';
import type { Task } from './task.js';

describe('the task loader', () => {
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
  const store = { park: async () => false };

  it('keeps the order of due times per organization, without delaying other organizations', async () => {
    const orgId = newId();
    const [first, second, other] = [leasedTask({ orgId }), leasedTask({ orgId }), leasedTask()];
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const load = (tasks: readonly Task[]): unknown => (tasks[0] === first ? passed : undefined);
    // The loader uses only this part of the database.
    const loader = new TaskLoader(new ScriptedJob('queue', { load }), database as unknown as OrgDatabase, store);
    const loaded: Task[] = [];
    const loading = [first, second, other].map(async one => {
      await loader.load(one.orgId, [one], performance.now());
      loaded.push(one);
    });
    await until(() => loaded.length === 1);
    expect(loaded).toEqual([other]);
    open();
    await Promise.all(loading);
    expect(loaded).toEqual([other, first, second]);
  });

  it('merges tasks that arrive during a load into one batch', async () => {
    const orgId = newId();
    const tasks = Array.from({ length: 5 }, () => leasedTask({ orgId }));
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const batches: (readonly Task[])[] = [];
    const load = (batch: readonly Task[]): unknown => {
      batches.push(batch);
      return passed;
    };
    const loader = new TaskLoader(new ScriptedJob('queue', { load }), database as unknown as OrgDatabase, store);
    const loading = tasks.map(one => loader.load(orgId, [one], performance.now()));
    open();
    const loaded = await Promise.all(loading);
    expect(batches).toEqual([tasks.slice(0, 1), tasks.slice(1)]);
    for (const [at, { id }] of tasks.entries()) expect(loaded[at]?.get(id)?.kind).toBe('ready');

    await loader.load(orgId, [tasks[0]!], performance.now());
    expect(batches).toHaveLength(3);
  });
});
