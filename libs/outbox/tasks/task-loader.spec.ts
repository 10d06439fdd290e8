import { describe, expect, it } from '@jest/globals';
import { newId } from '#core';
import type { OrgDatabase } from '#database';
import { until } from '../testing/replica.js';
import { ScriptedJob } from '../testing/scripted.job.js';
import { TaskLoader } from './task-loader.js';
import type { Task } from './task.js';

describe('loading what tasks need', () => {
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };

  function task(orgId: string): Task {
    const claim = { attempt: 1, interruptions: 0, interruptedAt: null, subject: {}, dueAt: '2026-11-20 12:00:00+00' };
    return { ...claim, orgId, id: newId(), key: 'k', leaseToken: newId() };
  }

  it('keeps the order in which an organization’s tasks were due, and lets no other organization wait', async () => {
    const [first, second, other] = [newId(), newId()].flatMap((org, at) => (at === 0 ? [task(org), task(org)] : [task(org)])); // prettier-ignore
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const load = (tasks: readonly Task[]): unknown => (tasks[0] === first ? passed : undefined);
    // Nothing else of it is asked for.
    const loader = new TaskLoader(new ScriptedJob('queue', { load }), database as unknown as OrgDatabase);
    const loaded: Task[] = [];
    const loading = [first!, second!, other!].map(async one => {
      await loader.load(one.orgId, [one], performance.now());
      loaded.push(one);
    });
    await until(() => loaded.length === 1);
    expect(loaded).toEqual([other]);
    open();
    await Promise.all(loading);
    expect(loaded).toEqual([other, first, second]);
  });

  it('makes one batch of what comes while another one is loaded', async () => {
    const orgId = newId();
    const tasks = Array.from({ length: 5 }, () => task(orgId));
    const { promise: passed, resolve: open } = Promise.withResolvers<void>();
    const batches: (readonly Task[])[] = [];
    const load = (batch: readonly Task[]): unknown => {
      batches.push(batch);
      return passed;
    };
    const loader = new TaskLoader(new ScriptedJob('queue', { load }), database as unknown as OrgDatabase);
    const loading = tasks.map(one => loader.load(orgId, [one], performance.now()));
    open();
    const loaded = await Promise.all(loading);
    expect(batches).toEqual([tasks.slice(0, 1), tasks.slice(1)]);
    for (const [at, { id }] of tasks.entries()) expect(loaded[at]?.get(id)?.kind).toBe('ready');

    await loader.load(orgId, [tasks[0]!], performance.now());
    expect(batches).toHaveLength(3);
  });
});
