import { beforeAll, describe, expect, it } from '@jest/globals';
import { moveTime, type MovedTime } from '../../../test/support/moved-time.js';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { newTask, queueName, until } from '../testing/replica.js';
import { ScriptedJob, type JobScript } from '../testing/scripted.job.js';
import type { Task } from './task.js';
import { DeadLetters } from './dead-letters.js';

/** An error of Node.js that has a code. It must not be mistaken for an error of the operating system. */
const invalidUrl = (): URL => new URL('no url');

describe('a task that makes its job handler fail', () => {
  let time: MovedTime;
  const { tests, replicas, orgId } = outboxSuite();

  beforeAll(async () => {
    time = await moveTime(tests, { standsAt: new Date('2026-11-20T12:00:00.000Z') });
  });

  interface Row {
    faults: number;
    fault: string | null;
    aside: boolean;
  }

  async function row(id: string): Promise<Row | undefined> {
    const rows = await tests.asOwner<Row>(
      'select faults, fault, quarantined_at is not null as aside from governance.tasks where id = $1',
      [id],
    );
    return rows[0];
  }

  /** A job handler that fails in one step of one task. A claim also contains other tasks. */
  async function poisoned(step: 'load' | 'perform' | 'settle', fail: () => unknown, script: JobScript = {}) {
    const name = queueName();
    const tasks = ['a', 'poison', 'b'].map(key => newTask(name, key));
    const poison = tasks[1]!.id;
    const failOn = (ids: string[]): void => {
      if (ids.includes(poison)) fail();
    };
    const steps: Record<typeof step, JobScript> = {
      load: { load: (batch: readonly Task[]) => failOn(batch.map(task => task.id)) },
      perform: { perform: (task: Task) => failOn([task.id]) },
      settle: { settle: settled => failOn(settled.map(({ task }) => task.id)) },
    };
    const job = new ScriptedJob(name, { ...steps[step], ...script });
    const replica = await replicas.start([job], { pollIntervalMs: 50 });
    const add = (): Promise<void> => replica.database.transaction(orgId, em => replica.queue.add(em, orgId, tasks));
    await add();
    return { job, poison, add, neighbours: [tasks[0]!.id, tasks[2]!.id] };
  }

  async function failUntilDeadLetter(id: string): Promise<void> {
    for (const [faults, seconds] of [1, 5, 30, 300].entries()) {
      await until(async () => (await row(id))?.faults === faults + 1);
      await time.advance(seconds * 1_000 - 1);
      await new Promise(done => setTimeout(done, 120));
      expect(await row(id)).toMatchObject({ faults: faults + 1, aside: false });
      await time.advance(1);
    }
    await until(async () => (await row(id))?.aside);
  }

  it.each(['load', 'perform', 'settle'] as const)(
    'in %s is retried after 1, 5, 30 and 300 seconds, then dead-lettered, without affecting other tasks',
    async step => {
      const { job, poison, neighbours } = await poisoned(step, () => {
        throw new Error(`bad ${step}\0`);
      });
      await until(() => job.settled.length === 2);
      expect(job.settled.toSorted()).toEqual(neighbours.toSorted());
      expect(job.aside).toEqual([]);
      await failUntilDeadLetter(poison);
      expect(job.aside).toEqual([poison]);
      expect(await row(poison)).toEqual({ faults: 5, fault: `bad ${step}\uFFFD`, aside: true });
      await time.advance(3_600_000);
      await new Promise(done => setTimeout(done, 150));
      expect(await row(poison)).toMatchObject({ faults: 5 });
    },
  );

  it.each(['load', 'settle'] as const)('with an error of Node.js in %s has a fault, not an outage', async step => {
    const { job, poison } = await poisoned(step, invalidUrl);
    await until(async () => (await row(poison))?.faults === 1);
    await until(() => job.settled.length === 2);
  });

  it('has a fault when the message of its error resembles an outage', async () => {
    const { poison } = await poisoned('settle', () => {
      throw new Error('the connector has no connection pool: timeout');
    });
    await until(async () => (await row(poison))?.faults === 1);
  });

  it('is dead-lettered also when `onDeadLetter` fails', async () => {
    const { job, poison } = await poisoned(
      'perform',
      () => {
        throw new Error('bad');
      },
      {
        onDeadLetter: () => {
          throw new Error('bad, too');
        },
      },
    );
    await failUntilDeadLetter(poison);
    expect(job.aside).toContain(poison);
  });

  it('starts again when it is added again after it was dead-lettered', async () => {
    let isFixed = false;
    const { job, poison, add } = await poisoned('perform', () => {
      if (!isFixed) throw new Error('bad');
    });
    await failUntilDeadLetter(poison);
    isFixed = true;
    await add();
    await until(() => job.settled.includes(poison));
    expect(job.begun.at(-1)).toMatchObject({ attempt: 1, interruptions: 0 });
    // The task's row is deleted only after its job has settled.
    await until(async () => (await row(poison)) === undefined);
  });

  it('is requeued alone, with all retries, when an operator requests it', async () => {
    await tests.asOwner('delete from governance.tasks');
    let isFixed = false;
    const fail = () => {
      if (!isFixed) throw new Error('bad');
    };
    const [{ job, poison }, other] = [await poisoned('perform', fail), await poisoned('perform', fail)];
    const { database, queue, worker } = replicas.running[0]!;
    const aside = new DeadLetters(database, worker, queue);
    for (const id of [poison, other.poison]) {
      await until(async () => (await row(id))?.faults === 1);
      expect(await aside.retry()).toEqual({});
    }
    for (const id of [poison, other.poison]) {
      await tests.asOwner(
        `update governance.tasks set quarantined_at = now(), faults = 5, fault = 'bad', lease_token = null,
           due_at = due_at - interval '1 hour', interruptions = 2 where id = $1`,
        [id],
      );
    }
    isFixed = true;
    expect(await aside.retry(job.name)).toEqual({ [job.name]: 1 });
    await until(() => job.settled.includes(poison));
    expect(job.takenBack).toEqual([poison]);
    expect(job.begun.at(-1)).toMatchObject({ attempt: 1, interruptions: 0 });
    expect(await row(other.poison)).toMatchObject({ aside: true });
    // A task of a queue that this process does not handle.
    expect(await aside.retry()).toEqual({ [other.job.name]: 1 });
    await until(() => other.job.settled.includes(other.poison));
    await expect(aside.retry('no queue')).rejects.toThrow(`queue: must be one of: ${job.name}`);
  });

  it('has no faults after the next successful attempt', async () => {
    let failures = 1;
    const { poison } = await poisoned(
      'perform',
      () => {
        if (failures-- > 0) throw new Error('bad');
      },
      { outcome: task => (task.key === 'poison' ? { againAfterMs: 60_000 } : {}) },
    );
    await until(async () => (await row(poison))?.faults === 1);
    await time.advance(1_000);
    await until(async () => (await row(poison))?.faults === 0);
    expect(await row(poison)).toEqual({ faults: 0, fault: null, aside: false });
  });
});
