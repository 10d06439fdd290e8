import { expect, it } from '@jest/globals';
import type { OrgDatabase } from '#database';
import { pass, until } from '../testing/replica.js';
import { ScriptedLane } from '../testing/scripted.lane.js';
import { LaneRunner } from './lane-runner.js';
import type { TaskStore } from './task-store.js';
import type { Task } from './task.js';

const SLOTS = 4;
const LEASE_MS = 400;

it('tasks whose leases are lost while they wait leave their places to others', async () => {
  let count = 0;
  let isSlow = false;
  let isLost = false;
  const taskOf = (key: string): Task => ({
    ...{ orgId: 'o', id: `t${count++}`, key, attempt: 1, interruptions: 0, interruptedAt: null },
    ...{ subject: {}, leaseToken: 'l', dueAt: '' },
  });
  const store = {
    claim: async (_lane: string, want: number, others: number, freeOf: ReadonlyMap<string, number>) => {
      const keys = Array.from({ length: 16 }, (_, at) => `k${at}`);
      const tasks = keys.flatMap(key => Array.from({ length: freeOf.get(key) ?? others }, () => taskOf(key)));
      return { tasks: tasks.slice(0, want), contended: false };
    },
    renew: async (tasks: readonly Task[]) => (isLost ? new Set() : new Set(tasks.map(({ id }) => id))),
    release: async () => undefined,
    end: async (_em: unknown, _org: string, ends: readonly { task: Task }[]) =>
      new Set(ends.map(({ task }) => task.id)),
  };
  const database = { transaction: async (_org: string, work: (em: unknown) => unknown) => work({}) };
  const lane = new ScriptedLane('lane', {
    slots: SLOTS,
    slotsPerKey: SLOTS,
    leaseMs: LEASE_MS,
    load: () => (isSlow ? pass(LEASE_MS) : undefined),
    perform: () => pass(2),
  });
  // The runner uses a few methods of each.
  const runner = new LaneRunner(
    lane,
    database as unknown as OrgDatabase,
    store as unknown as TaskStore,
    () => undefined,
    () => undefined,
  );
  const poll = setInterval(() => void runner.pump(), 50);
  await runner.pump();
  await until(() => lane.settled.length > 200);
  isSlow = isLost = true;
  await pass(3 * LEASE_MS);
  isSlow = isLost = false;
  const before = lane.settled.length;
  await until(() => lane.settled.length > before + 200, 5_000);
  expect(runner.running).toBeGreaterThan(0);
  clearInterval(poll);
  runner.close();
});
