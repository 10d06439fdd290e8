import { Injectable } from '@nestjs/common';
import { BadRequestError } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { OutboxWorker } from './outbox-worker.js';
import { TaskQueue } from './task-queue.js';

const WHERE = `select org_id, queue from ${SCHEMA}.queues_with_dead_letters() where $1::text is null or queue = $1`;

const NEXT = `
select t.id, t.key from ${SCHEMA}.tasks t
where t.org_id = $1 and t.queue = $2 and t.quarantined_at is not null order by t.id limit $3`;

// Rows are locked in the order of their ids, to avoid deadlocks. Another process may already have requeued some of
// them.
const REQUEUE = `
with dead as (
  select id from ${SCHEMA}.tasks where org_id = $1 and id = any ($2::uuid[]) and quarantined_at is not null
  order by id for update)
update ${SCHEMA}.tasks t
set due_at = ${SCHEMA}.now(), lease_token = null, interruptions = 0, interrupted_at = null, faults = 0, fault = null,
    quarantined_at = null
from dead where t.org_id = $1 and t.id = dead.id
returning t.id`;

const STEP = 500;

/** Dead-lettered tasks (their last retry has failed). For operators. */
@Injectable()
export class DeadLetters {
  constructor(
    private readonly database: OrgDatabase,
    private readonly worker: OutboxWorker,
    private readonly queue: TaskQueue,
  ) {}

  /**
   * Requeues the dead-lettered tasks of one queue or of all queues. Workers of any process start them at once. Each
   * task gets all retries again. Returns the number of tasks by queue.
   * @throws BadRequestError if no queue has that name
   */
  async retry(queue?: string): Promise<Record<string, number>> {
    const known = this.worker.jobs.map(({ name }) => name);
    if (queue !== undefined && !known.includes(queue)) {
      throw BadRequestError.field('queue', `must be one of: ${known.toSorted().join(', ')}`);
    }
    const taken: Record<string, number> = {};
    for (const { org_id: orgId, queue: name } of await this.places(queue)) {
      for (let step = STEP; step === STEP;) {
        step = await this.requeue(orgId, name);
        taken[name] = (taken[name] ?? 0) + step;
      }
    }
    return taken;
  }

  private places(queue: string | undefined): Promise<{ org_id: string; queue: string }[]> {
    return this.database.global(WHERE, [queue ?? null]);
  }

  private requeue(orgId: string, queue: string): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const tasks = await sqlOf(em).query<{ id: string; key: string }>(NEXT, [orgId, queue, STEP]);
      await this.worker.jobs.find(({ name }) => name === queue)?.onRequeue(em, orgId, tasks);
      const rows = await sqlOf(em).query(REQUEUE, [orgId, plainArray(tasks, task => task.id)]);
      await this.queue.wake(em, queue);
      return rows.length;
    });
  }
}
