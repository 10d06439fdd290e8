import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createMigratedDatabase } from '../../../test/support/migrated-database.js';
import type { TestDatabase } from '../../../test/support/test-postgres.js';
import { queueName, Replicas, until, type Replica } from '../testing/replica.js';
import type { Task } from './task.js';
import { DeadLetters } from './dead-letters.js';
import { TaskStore } from './task-store.js';

/** The lease tokens of two claims. In the order of texts, the first task's token comes after the second's. */
const TOKENS = ['ffffffff-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000000'];

interface Hands {
  replica: Replica;
  store: TaskStore;
  queue: string;
  /** The two tasks in reverse order: the second task comes first. */
  tasks: Task[];
}

describe('a statement on several tasks locks them in the order of their ids, to avoid deadlocks', () => {
  let tests: TestDatabase;
  let other: pg.Client;
  const orgId = randomUUID();
  const replicas = new Replicas(() => tests.url);

  beforeAll(async () => {
    tests = await createMigratedDatabase();
    other = new pg.Client({ connectionString: tests.url });
    await other.connect();
  });

  afterEach(async () => {
    await other.query('rollback');
    await replicas.end();
  });

  afterAll(async () => {
    await other.end();
    await tests.drop();
  });

  async function leased(): Promise<Hands> {
    const queue = queueName();
    const replica = await replicas.start();
    const ids = (await replica.add(orgId, queue, 'k', 'k')).toSorted();
    const rows = await tests.asOwner<{ dueAt: string }>(
      `update governance.tasks t set lease_token = l.token from unnest($1::uuid[], $2::uuid[]) as l (id, token)
       where t.id = l.id returning t.due_at::text as "dueAt"`,
      [ids, TOKENS],
    );
    const { dueAt } = rows[0]!;
    const claim = { orgId, key: 'k', attempt: 1, interruptions: 0, interruptedAt: null, payload: {}, dueAt };
    const tasks = ids.map((id, at): Task => Object.assign({ id, leaseToken: TOKENS[at]! }, claim));
    return { replica, store: new TaskStore(replica.database), queue, tasks: tasks.toReversed() };
  }

  const end = ({ replica, store, tasks }: Hands, againAfterMs: (number | null)[]) =>
    replica.database.transaction(orgId, em =>
      store.end(
        em,
        orgId,
        tasks.map((task, at) => ({ task, againAfterMs: againAfterMs[at]!, endedAt: performance.now() })),
      ),
    );

  it.each<[string, (hands: Hands) => Promise<unknown>]>([
    ['ending tasks of several claims', hands => end(hands, [null, null])],
    ['ending tasks of which the first will run again', hands => end(hands, [null, 1_000])],
    ['setting the next due time of several tasks', hands => end(hands, [1_000, 1_000])],
    ['renewing leases', ({ store, tasks }) => store.renew(tasks, 1_000)],
    ['releasing leases', ({ store, tasks }) => store.release(tasks)],
    [
      'recording faults',
      ({ replica, store, tasks }) =>
        replica.database.transaction(orgId, em =>
          store.fault(
            em,
            orgId,
            tasks.map(task => ({ task, message: 'a fault' })),
          ),
        ),
    ],
    [
      'deleting the tasks of a key',
      ({ replica, queue }) => replica.database.transaction(orgId, em => replica.queue.removeKey(em, orgId, queue, 'k')),
    ],
    [
      'requeuing dead letters',
      ({ replica }) => new DeadLetters(replica.database, replica.worker, replica.queue).retry(),
    ],
  ])('%s', async (_who, act) => {
    const hands = await leased();
    // Only the requeue test needs this column.
    await tests.asOwner('update governance.tasks set quarantined_at = now() where queue = $1', [hands.queue]);
    const [second, first] = hands.tasks.map(task => task.id);
    await other.query('begin');
    await other.query('select from governance.tasks where id = $1 for update', [first]);
    const acting = act(hands);
    await until(async () => {
      const sql = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await tests.asOwner(sql)).length > 0;
    });
    const free = await other.query('select id from governance.tasks where id = $1 for update skip locked', [second]);
    await other.query('rollback');
    await acting;
    expect(free.rows).toEqual([{ id: second }]);
  });
});
