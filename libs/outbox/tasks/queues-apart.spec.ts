import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { outboxSuite } from '../../../test/support/outbox-suite.js';
import { queueName, until } from '../testing/replica.js';
import { ScriptedJob } from '../testing/scripted.job.js';
import type { TaskStore } from './task-store.js';

describe('a queue', () => {
  const { tests, replicas, orgId } = outboxSuite();

  it('does not delay other queues when its claim hangs', async () => {
    const [hanging, other] = [new ScriptedJob(queueName()), new ScriptedJob(queueName())];
    const replica = await replicas.start([hanging, other]);
    // A claim can only be delayed by replacing this method of the private store.
    const store = Reflect.get(replica.worker, 'store') as TaskStore;
    const claim = store.claim.bind(store);
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let hangs = false;
    store.claim = async (queue, ...rest) => {
      if (queue === hanging.name && hangs) await answered;
      return claim(queue, ...rest);
    };
    const schedule = (queue: string, afterMs: number) =>
      replica.database.transaction(orgId, em =>
        replica.queue.schedule(em, orgId, { id: randomUUID(), queue, key: 'k', payload: {} }, afterMs),
      );
    await schedule(hanging.name, 300);
    hangs = true;
    replica.worker.wake(hanging.name);
    await tests.asOwner(
      `insert into governance.tasks (org_id, id, queue, key, due_at, attempt, subject)
       values ($1, $2, $3, 'k', governance.now() + interval '700 milliseconds', 1, '{}')`,
      [orgId, randomUUID(), other.name],
    );
    await until(() => other.settled.length === 1);
    expect(hanging.begun).toEqual([]);
    answer();
    await until(() => hanging.settled.length === 1);
  });
});
