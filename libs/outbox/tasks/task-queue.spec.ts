import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { nameOrganization, sqlOf } from '#database';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { newTask, pass, queueName, type Replica, until } from '../testing/replica.js';
import type { NewTask } from './task.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';

describe('the task queue', () => {
  const { tests, replicas, orgId } = outboxSuite();

  async function startJob(script: JobScript = {}): Promise<{ job: ScriptedJob; replica: Replica }> {
    const job = new ScriptedJob(queueName(), script);
    return { job, replica: await replicas.start([job]) };
  }

  async function waiting(queue: string): Promise<number> {
    const rows = await tests.asOwner('select 1 from governance.tasks where queue = $1', [queue]);
    return rows.length;
  }

  it('runs tasks after their transaction has committed, not before', async () => {
    const { job, replica } = await startJob();
    const task = newTask(job.name);
    await replica.database.transaction(orgId, async em => {
      await replica.queue.add(em, orgId, [task]);
      replica.worker.wake();
      await pass(100);
      expect(job.begun).toEqual([]);
    });
    // The task leaves the queue only when the transaction that settles it commits.
    await until(async () => job.settled.length === 1 && (await waiting(job.name)) === 0);
    expect(job.begun).toMatchObject([{ id: task.id, orgId, attempt: 1, interruptions: 0, interruptedAt: null }]);
  });

  it('has no task when the transaction rolls back', async () => {
    const { job, replica } = await startJob();
    const failed = replica.database.transaction(orgId, async em => {
      await replica.queue.add(em, orgId, [newTask(job.name)]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await waiting(job.name)).toBe(0);
  });

  it('refuses tasks outside a transaction, and says what to do', async () => {
    const { database, queue: tasks } = await replicas.start();
    const add = tasks.add(database.orm.em.fork(), orgId, [newTask('none')]);
    await expect(add).rejects.toThrow('pass the EntityManager of a transaction');
  });

  it('leaves a waiting task unchanged when it is added again', async () => {
    const { database, queue: tasks } = await replicas.start();
    const task = newTask(queueName());
    const add = (attempt: number): Promise<void> =>
      database.transaction(orgId, em => tasks.add(em, orgId, [{ ...task, attempt }]));
    await add(2);
    await add(7);
    const rows = await tests.asOwner('select attempt from governance.tasks where id = $1', [task.id]);
    expect(rows).toEqual([{ attempt: 2 }]);
  });

  it('runs a task at its due time, and a replaced task at the new one', async () => {
    const begunAt = new Map<string, number>();
    const { job, replica } = await startJob({ perform: ({ id }) => begunAt.set(id, Date.now()) });
    const [soon, late, sooner] = [newTask(job.name), newTask(job.name), newTask(job.name)];
    const schedule = (task: NewTask, afterMs: number): Promise<void> =>
      replica.database.transaction(orgId, em => replica.queue.schedule(em, orgId, task, afterMs));
    await schedule(soon, 2_000);
    await schedule(sooner, 3_600_000);
    await schedule(late, 1_500);
    await schedule({ ...late, payload: { put: 'off' } }, 3_600_000);
    await schedule({ ...sooner, payload: { put: 'forward' } }, -5);
    await until(() => job.settled.length === 2);
    expect(job.begun).toMatchObject(
      expect.arrayContaining(
        [{ id: sooner.id, payload: { put: 'forward' } }, { id: soon.id }].map(each => expect.objectContaining(each)),
      ),
    );
    // Dates are rounded to whole milliseconds, so a start may seem too early by a little.
    for (const { id, dueAt } of job.begun) expect(begunAt.get(id)).toBeGreaterThanOrEqual(Date.parse(dueAt) - 2);
    await until(() => replica.worker.running === 0);
    expect(await waiting(job.name)).toBe(1);
  });

  it('drops the outcome of an attempt whose task was replaced', async () => {
    const gate = replicas.gate();
    const { job, replica } = await startJob({ perform: () => gate.passed });
    const task = newTask(job.name);
    const schedule = (afterMs: number): Promise<void> =>
      replica.database.transaction(orgId, em => replica.queue.schedule(em, orgId, task, afterMs));
    await schedule(0);
    await until(() => job.begun.length === 1);
    await schedule(3_600_000);
    gate.open();
    await until(() => replica.worker.running === 0);
    expect(job.settled).toEqual([]);
    expect(await waiting(job.name)).toBe(1);
  });

  it('runs tasks at the commit of a transaction that it does not control', async () => {
    const job = new ScriptedJob(queueName());
    const { database, queue: tasks } = await replicas.start([job], { pollIntervalMs: 60_000 });
    await database.orm.em.fork().transactional(async em => {
      await nameOrganization(sqlOf(em), orgId);
      await tasks.add(em, orgId, [newTask(job.name)]);
      await pass(50);
      expect(job.begun).toEqual([]);
    });
    expect(await until(() => job.settled.length === 1)).toBeLessThan(30_000);
  });

  it('pauses present and future tasks of a held key, and runs them in order after the release', async () => {
    const { job, replica } = await startJob({ slots: 1 });
    const { database, queue } = replica;
    await database.transaction(orgId, em => queue.hold(em, orgId, job.name, 'held'));
    await database.transaction(orgId, em => queue.hold(em, orgId, job.name, 'held'));
    const ids = await replica.add(orgId, job.name, 'held', 'held', 'held');
    const [free] = await replica.add(orgId, job.name, 'free');
    ids.push(...(await replica.add(orgId, job.name, 'held')));
    await until(() => job.settled.length === 1);
    await pass(50);
    expect(job.settled).toEqual([free]);
    await database.transaction(orgId, em => queue.release(em, orgId, job.name, 'held'));
    await until(() => job.settled.length === 5);
    expect(job.settled).toEqual([free, ...ids]);
  });

  it('holds a key in one queue only', async () => {
    const { job, replica } = await startJob();
    await replica.database.transaction(orgId, em => replica.queue.hold(em, orgId, 'another queue', 'k'));
    await replica.add(orgId, job.name, 'k');
    await until(() => job.settled.length === 1);
  });

  it('holds and releases a key without touching its tasks, however many wait', async () => {
    const { database, queue: tasks } = await replicas.start();
    const queue = queueName();
    await tests.asOwner(
      `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject)
       select $1, gen_random_uuid(), $2, 'k', now(), 1, '{}' from generate_series(1, 1000)`,
      [orgId, queue],
    );
    const versions = 'select distinct xmin::text as version from governance.tasks where queue = $1';
    const before = await tests.asOwner(versions, [queue]);
    await database.transaction(orgId, em => tasks.hold(em, orgId, queue, 'k'));
    await database.transaction(orgId, em => tasks.release(em, orgId, queue, 'k'));
    expect(before).toHaveLength(1);
    expect(await tests.asOwner(versions, [queue])).toEqual(before);
  });

  it('deletes the tasks and the hold of a key, and drops the outcome of a running attempt', async () => {
    let remove: Promise<void> | undefined;
    const { job, replica } = await startJob({
      slots: 1,
      perform: () => (remove ??= replicas.running[0]?.database.transaction(orgId, removeKey)),
    });
    const removeKey = (em: Parameters<Replica['queue']['removeKey']>[0]): Promise<void> =>
      replica.queue.removeKey(em, orgId, job.name, 'k');
    await replica.add(orgId, job.name, 'k', 'k', 'k');
    await until(() => job.begun.length === 1 && replica.worker.running === 0);
    expect(job.settled).toEqual([]);
    expect(await waiting(job.name)).toBe(0);
    await replica.database.transaction(orgId, em => replica.queue.hold(em, orgId, job.name, 'k'));
    await replica.database.transaction(orgId, removeKey);
    await replica.add(orgId, job.name, 'k');
    await until(() => job.settled.length === 1);
  });

  it('deletes a key of one organization only', async () => {
    const { database, queue: tasks, add } = await replicas.start();
    const [queue, other] = [queueName(), randomUUID()];
    await add(orgId, queue, 'k');
    await add(other, queue, 'k');
    await database.transaction(orgId, em => tasks.removeKey(em, orgId, queue, 'k'));
    expect(await tests.asOwner('select org_id from governance.tasks where queue = $1', [queue])).toEqual([
      { org_id: other },
    ]);
  });
});
