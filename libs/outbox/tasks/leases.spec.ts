import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { pass, queueName, type Replica, startReplica, until } from '../testing/replica.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';
import { TaskStore } from './task-store.js';

const NO_KEYS = new Map();

describe('the lease of a task', () => {
  const { tests, replicas, orgId } = outboxSuite();

  const start = (...jobs: ScriptedJob[]): Promise<Replica> => replicas.start(jobs, { pollIntervalMs: 50 });

  /**
   * Two processes with one queue. Attempts of the first process hang until `open` is called. The second process follows
   * the script.
   */
  async function hangingAndTakingOver(script: JobScript = {}) {
    const { passed, open } = replicas.gate();
    const name = queueName();
    const stuck = new ScriptedJob(name, { leaseMs: 300, slots: 1, ...script, perform: () => passed });
    const next = new ScriptedJob(name, { leaseMs: 300, ...script });
    const replica = await start(stuck);
    const [id] = await replica.add(orgId, name, 'k');
    await until(() => stuck.begun.length === 1);
    await start(next);
    return { stuck, next, id, open, replica };
  }

  it('is given to one worker only when many claim concurrently', async () => {
    const queue = queueName();
    const workers = await Promise.all([1, 2, 3, 4].map(() => start()));
    const keys = Array.from({ length: 400 }, (_, at) => `k${at % 20}`);
    const added = await workers[0]!.add(orgId, queue, ...keys);
    const claimed: string[] = [];
    await Promise.all(
      workers.map(async ({ database }) => {
        const store = new TaskStore(database);
        for (;;) {
          const { tasks, contended } = await store.claim(queue, 10, 2, NO_KEYS, 60_000);
          claimed.push(...tasks.map(task => task.id));
          if (tasks.length === 0 && !contended) return;
        }
      }),
    );
    expect(claimed.toSorted()).toEqual(added.toSorted());
  });

  it('lets four workers perform each of 400 tasks once', async () => {
    const name = queueName();
    const jobs = [1, 2, 3, 4].map(() => new ScriptedJob(name, { perform: () => pass(1) }));
    const [first] = await Promise.all(jobs.map(job => start(job)));
    const added = await first!.add(orgId, name, ...Array.from({ length: 400 }, (_, at) => `k${at % 20}`));
    const done = (of: 'begun' | 'settled'): string[] =>
      jobs.flatMap(job => (of === 'settled' ? job.settled : job.begun.map(task => task.id))).toSorted();
    await until(() => done('settled').length >= 400);
    expect(done('settled')).toEqual(added.toSorted());
    expect(done('begun')).toEqual(added.toSorted());
  });

  it('lets another worker repeat the attempt, with its interruption, after it has expired', async () => {
    const before = Date.now();
    const { next, id } = await hangingAndTakingOver();
    await until(() => next.settled.length === 1);
    expect(next.begun).toMatchObject([{ id, attempt: 1, interruptions: 1 }]);
    const interruptedAt = next.begun[0]!.interruptedAt!.getTime();
    expect(interruptedAt).toBeGreaterThanOrEqual(before - 5);
    expect(interruptedAt).toBeLessThanOrEqual(Date.now() - 250);
  });

  it('drops the outcome of a worker whose lease has expired', async () => {
    const { stuck, next, open, replica } = await hangingAndTakingOver({ outcome: () => ({ againAfterMs: 3_600_000 }) });
    await until(() => next.settled.length === 1);
    open();
    await until(() => replica.worker.running === 0);
    expect(stuck.settled).toEqual([]);
    const rows = await tests.asOwner('select attempt from governance.tasks where queue = $1', [next.name]);
    expect(rows).toEqual([{ attempt: 2 }]);
  });

  it('drops the outcome of an expired lease when its own process has claimed the task again and ends both at once', async () => {
    const { passed, open } = replicas.gate();
    const job = new ScriptedJob(queueName(), { leaseMs: 300, slots: 2, perform: () => passed });
    const replica = await start(job);
    await replica.add(orgId, job.name, 'k');
    await until(() => job.begun.length === 2);
    open();
    await until(() => replica.worker.running === 0);
    expect(job.settled).toHaveLength(1);
  });

  it('is renewed while an attempt runs when the job handler renews', async () => {
    const { stuck, next, open } = await hangingAndTakingOver({ renews: true, leaseMs: 900 });
    await pass(1_800);
    expect(next.begun).toEqual([]);
    open();
    await until(() => stuck.settled.length === 1);
    expect(next.begun).toEqual([]);
  });

  it('counts an interruption only for the interrupted attempt', async () => {
    const { next } = await hangingAndTakingOver({
      outcome: ({ attempt }) => (attempt === 1 ? { againAfterMs: 0 } : {}),
    });
    await until(() => next.settled.length === 2);
    expect(next.begun).toMatchObject([
      { attempt: 1, interruptions: 1 },
      { attempt: 2, interruptions: 0, interruptedAt: null },
    ]);
  });

  it('is renewed before an attempt when loading took long', async () => {
    const name = queueName();
    const script = { leaseMs: 2_000, load: () => pass(1_200), perform: () => pass(1_400) };
    const jobs = [new ScriptedJob(name, script), new ScriptedJob(name, script)];
    const replica = await start(jobs[0]!);
    await start(jobs[1]!);
    await replica.add(orgId, name, 'k');
    await until(() => jobs.some(job => job.settled.length === 1));
    expect(jobs.flatMap(job => job.begun)).toHaveLength(1);
  });

  it('leaves the task to its new worker when it expires during loading', async () => {
    const name = queueName();
    const slow = new ScriptedJob(name, { leaseMs: 200, load: () => pass(1_000) });
    const quick = new ScriptedJob(name, { leaseMs: 5_000 });
    const replica = await start(slow);
    await replica.add(orgId, name, 'k');
    await pass(50);
    await start(quick);
    await until(() => quick.settled.length === 1);
    await until(() => replica.worker.running === 0);
    expect(slow.begun).toEqual([]);
  });
});

describe('a claim', () => {
  it('does not read tasks that are due later', async () => {
    const tests = await createMigratedDatabase();
    const replica = await startReplica(tests.url, []);
    try {
      const add = (count: number, due: string): Promise<unknown> =>
        tests.asOwner(
          `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject)
           select $1, gen_random_uuid(), 'l', 'k', governance.now() + ${due}, 1, '{}' from generate_series(1, ${count})`,
          [randomUUID()],
        );
      await add(50_000, `interval '1 day'`);
      await add(1, `interval '-1 second'`);
      const store = new TaskStore(replica.database);
      const reads = async (): Promise<number> => {
        const [row] = await tests.asOwner<{ reads: string }>(
          `select pg_stat_force_next_flush(), idx_tup_fetch as reads from pg_stat_user_tables where relname = 'tasks'`,
        );
        return Number(row?.reads);
      };
      const before = await reads();
      expect((await store.claim('l', 10, 2, NO_KEYS, 60_000)).tasks).toHaveLength(1);
      await replica.stop();
      await until(async () => (await reads()) > before);
      expect((await reads()) - before).toBeLessThan(100);
    } finally {
      await tests.drop();
    }
  });
});
