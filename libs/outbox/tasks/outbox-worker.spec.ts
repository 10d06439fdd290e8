import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { pass, queueName, startReplica, until } from '../testing/replica.js';
import { ScriptedJob } from '../testing/scripted.job.js';
import { OutboxWorker } from './outbox-worker.js';
import type { Task } from './task.js';

const NEVER_POLLED = { pollIntervalMs: 60_000 };

describe('the workers', () => {
  const { tests, replicas, orgId } = outboxSuite();

  /** Adds tasks that became due this many milliseconds ago. Returns their ids. */
  async function due(queue: string, ...tasks: [key: string, agoMs: number][]): Promise<string[]> {
    const ids = tasks.map(() => randomUUID());
    for (const [at, [key, agoMs]] of tasks.entries()) {
      await tests.asOwner(
        `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject)
         values ($1, $2, $3, $4, governance.now() - $5 * interval '1 millisecond', 1, '{}')`,
        [orgId, ids[at], queue, key, agoMs],
      );
    }
    return ids;
  }

  describe('the order of tasks', () => {
    it.each([
      ['one by one', 1],
      ['all at once', 5],
    ])('is that of their due times, over all keys, when claimed %s', async (_how, slots) => {
      const job = new ScriptedJob(queueName(), { slots });
      const ids = await due(job.name, ['a', 3_000], ['b', 5_000], ['a', 1_000], ['c', 4_000], ['b', 2_000]);
      await replicas.start([job]);
      await until(() => job.settled.length === 5);
      const order = [1, 3, 0, 4, 2].map(at => ids[at]);
      expect(job.begun.map(task => task.id)).toEqual(order);
    });
  });

  describe('slots', () => {
    it('limit the concurrent attempts of a queue in one process', async () => {
      const { passed, open } = replicas.gate();
      const job = new ScriptedJob(queueName(), { slots: 3, perform: () => passed });
      const { add } = await replicas.start([job]);
      await add(orgId, job.name, 'a', 'b', 'c', 'd', 'e');
      await until(() => job.atWork === 3);
      await pass(50);
      expect(job.atWork).toBe(3);
      open();
      await until(() => job.settled.length === 5);
      expect(job.mostAtWork).toBe(3);
    });

    it('of a key that hangs do not delay other keys', async () => {
      const { passed } = replicas.gate();
      const job = new ScriptedJob(queueName(), { slots: 6, perform: task => (task.key === 'hangs' ? passed : null) });
      const { add } = await replicas.start([job]);
      await add(orgId, job.name, ...Array<string>(10).fill('hangs'));
      await until(() => job.atWork === 2);
      await add(orgId, job.name, ...Array<string>(20).fill('healthy'));
      await until(() => job.settled.length === 20);
      expect(job.atWork).toBe(2);
    });

    it('of a key that timed out are limited to one', async () => {
      const atWork: number[] = [];
      const job: ScriptedJob = new ScriptedJob(queueName(), {
        perform: async () => {
          atWork.push(job.atWork);
          await pass(20);
        },
        outcome: () => ({ answered: false }),
      });
      const { add } = await replicas.start([job]);
      await add(orgId, job.name, ...Array<string>(6).fill('k'));
      await until(() => job.settled.length === 6);
      expect(atWork.slice(2)).toEqual([1, 1, 1, 1]);
    });
  });

  describe('waking', () => {
    it('reaches other processes by notification', async () => {
      const job = new ScriptedJob(queueName());
      await replicas.start([job], NEVER_POLLED);
      const other = await replicas.start([], NEVER_POLLED);
      await pass(200);
      await other.add(orgId, job.name, 'k');
      expect(await until(() => job.settled.length === 1)).toBeLessThan(30_000);
    });

    it('is not required, because a poll finds tasks without notification', async () => {
      const job = new ScriptedJob(queueName());
      const silent = { database: { changes: { listen: false } } };
      await replicas.start([job], { ...silent, pollIntervalMs: 200 });
      const other = await replicas.start([], silent);
      await pass(100);
      await other.add(orgId, job.name, 'k');
      expect(await until(() => job.settled.length === 1)).toBeLessThan(30_000);
    });

    it('happens at the due time, not at the next poll, and never early', async () => {
      const times: number[] = [];
      const job = new ScriptedJob(queueName(), {
        perform: () => times.push(performance.now()),
        outcome: ({ attempt }) => (attempt < 4 ? { againAfterMs: 150 } : {}),
      });
      const { add } = await replicas.start([job], NEVER_POLLED);
      await add(orgId, job.name, 'k');
      await until(() => job.settled.length === 4);
      expect(job.begun.map(task => task.attempt)).toEqual([1, 2, 3, 4]);
      for (const [at, time] of times.slice(1).entries()) {
        const waited = time - times[at]!;
        // The database and this process round times differently.
        expect(waited).toBeGreaterThanOrEqual(150 - 2);
        expect(waited).toBeLessThan(30_000);
      }
    });

    it('happens again soon when other transactions had locked all due tasks', async () => {
      const job = new ScriptedJob(queueName());
      await replicas.start([job], NEVER_POLLED);
      const { database } = await replicas.start([], NEVER_POLLED);
      await pass(100);
      const [id] = await due(job.name, ['k', 0]);
      await database.orm.em.fork().transactional(async em => {
        await em.execute(`select set_config('governance.org_id', ?, true)`, [orgId]);
        await em.execute('select 1 from governance.tasks where id = ? for update', [id]);
        replicas.running[0]?.worker.wake();
        await pass(100);
      });
      expect(await until(() => job.settled.length === 1)).toBeLessThan(30_000);
    });
  });

  describe('a queue', () => {
    it('is refused when its name is taken', async () => {
      const { worker } = await replicas.start();
      worker.addJob(new ScriptedJob('twice'));
      expect(() => worker.addJob(new ScriptedJob('twice'))).toThrow('two carry the name "twice"');
    });

    it('replaces the payload of a task by the one in the outcome of its attempt', async () => {
      const job = new ScriptedJob(queueName(), {
        outcome: ({ attempt }) => (attempt === 1 ? { againAfterMs: 0, payload: { step: 'two' } } : {}),
      });
      const { add } = await replicas.start([job]);
      await add(orgId, job.name, 'k');
      await until(() => job.settled.length === 2);
      expect(job.begun.map(task => task.payload)).toEqual([{}, { step: 'two' }]);
    });

    it('ends obsolete tasks without performing or settling them', async () => {
      const job = new ScriptedJob(queueName(), { load: tasks => tasks.map(task => task.id) });
      const { add } = await replicas.start([job]);
      await add(orgId, job.name, 'k');
      await until(
        async () => (await tests.asOwner('select 1 from governance.tasks where queue = $1', [job.name])).length === 0,
      );
      expect([job.begun, job.settled]).toEqual([[], []]);
    });

    it('loads the tasks of each organization separately', async () => {
      const seen: string[][] = [];
      const job = new ScriptedJob(queueName(), {
        load: tasks => void seen.push(tasks.map((task: Task) => task.orgId)),
      });
      const others = [randomUUID(), randomUUID()];
      const { add } = await replicas.start();
      for (const org of others) await add(org, job.name, 'k', 'l');
      await replicas.start([job]);
      await until(() => job.settled.length === 4);
      for (const orgs of seen) expect(new Set(orgs).size).toBe(1);
    });
  });

  describe('stopping', () => {
    it('starts no more tasks and waits for running attempts', async () => {
      const { passed, open } = replicas.gate();
      const job = new ScriptedJob(queueName(), { slots: 1, perform: () => passed });
      const { add, worker } = await replicas.start([job]);
      await add(orgId, job.name, 'a', 'b');
      await until(() => job.atWork === 1);
      let hasStopped = false;
      const stopped = worker.stop().then(() => (hasStopped = true));
      await pass(100);
      expect(hasStopped).toBe(false);
      open();
      await stopped;
      expect([job.settled.length, job.begun.length]).toEqual([1, 1]);
      worker.wake();
      await pass(50);
      expect(job.begun).toHaveLength(1);
    });

    it('notifies other processes of the last tasks, and leaves no query behind', async () => {
      const job = new ScriptedJob(queueName());
      await replicas.start([job], NEVER_POLLED);
      await pass(200);
      for (let round = 1; round <= 20; round++) {
        const leaving = await startReplica(tests.url, [], NEVER_POLLED);
        await leaving.add(orgId, job.name, 'k');
        await leaving.stop();
        await until(() => job.settled.length === round);
      }
    });

    it('releases the leases of a claim that is still running', async () => {
      const job = new ScriptedJob(queueName());
      const { add, worker, database } = await replicas.start([job], NEVER_POLLED);
      await pass(100);
      const real = database.global.bind(database);
      const { passed, open } = replicas.gate();
      database.global = async <Row extends object>(sql: string, parameters?: readonly unknown[]): Promise<Row[]> => {
        const rows = await real<Row>(sql, parameters);
        if (sql.includes('claim_tasks') && rows.length > 0) await passed;
        return rows;
      };
      await add(orgId, job.name, 'k');
      await until(
        async () =>
          (
            await tests.asOwner('select 1 from governance.tasks where queue = $1 and lease_token is not null', [
              job.name,
            ])
          ).length === 1,
      );
      const stopped = worker.stop();
      await pass(50);
      open();
      await stopped;
      expect(job.begun).toHaveLength(0);
      const tasks = await tests.asOwner(
        'select lease_token, due_at <= governance.now() as is_due from governance.tasks where queue = $1',
        [job.name],
      );
      expect(tasks).toEqual([{ lease_token: null, is_due: true }]);
    });
  });

  describe('a worker is healthy', () => {
    it('while it polls, also at a long interval, but not after ten seconds without a poll', async () => {
      const { database, worker } = await replicas.start();
      const { worker: seldom } = await replicas.start([], NEVER_POLLED);
      await pass(200);
      database.global = () => Promise.reject(new Error('Connection terminated'));
      const real = performance.now.bind(performance);
      try {
        const ahead = (milliseconds: number): void => void (performance.now = () => real() + milliseconds);
        ahead(9_000);
        expect(worker.isHealthy).toBe(true);
        ahead(12_000);
        expect(worker.isHealthy).toBe(false);
        ahead(60_000);
        expect(seldom.isHealthy).toBe(true);
      } finally {
        performance.now = real;
      }
    });

    it('when workers are turned off', async () => {
      const { database } = await replicas.start();
      const worker = new OutboxWorker(
        database,
        {
          onWake: () => {
            throw new Error('started');
          },
        } as never,
        { workers: false },
      );
      worker.start();
      expect(worker.isHealthy).toBe(true);
    });
  });
});
