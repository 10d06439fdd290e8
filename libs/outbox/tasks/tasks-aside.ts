import { Injectable } from '@nestjs/common';
import { BadRequestError } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { OutboxWorker } from './outbox-worker.js';
import { TaskQueue } from './task-queue.js';

const WHERE = `select org_id, lane from ${SCHEMA}.lanes_with_tasks_aside() where $1::text is null or lane = $1`;

const NEXT = `
select t.id, t.key from ${SCHEMA}.tasks t
where t.org_id = $1 and t.lane = $2 and t.quarantined_at is not null order by t.id limit $3`;

// Locked in one order, as everybody who takes several tasks does; others may have taken some back meanwhile.
const TAKE_BACK = `
with aside as (
  select id from ${SCHEMA}.tasks where org_id = $1 and id = any ($2::uuid[]) and quarantined_at is not null
  order by id for update)
update ${SCHEMA}.tasks t
set due_at = ${SCHEMA}.now(), lease_token = null, interruptions = 0, interrupted_at = null, faults = 0, fault = null,
    quarantined_at = null
from aside where t.org_id = $1 and t.id = aside.id
returning t.id`;

const STEP = 500;

/** Work that was put aside after its last fault; for people who operate. */
@Injectable()
export class TasksAside {
  constructor(
    private readonly database: OrgDatabase,
    private readonly worker: OutboxWorker,
    private readonly queue: TaskQueue,
  ) {}

  /**
   * Has what was put aside tried again at once, by the workers of any process and with all its tries, in one lane or in
   * all. Returns how many tasks of each lane.
   * @throws BadRequestError where there is no lane of that name
   */
  async retry(lane?: string): Promise<Record<string, number>> {
    const known = this.worker.lanes.map(({ name }) => name);
    if (lane !== undefined && !known.includes(lane)) {
      throw BadRequestError.field('lane', `must be one of: ${known.toSorted().join(', ')}`);
    }
    const taken: Record<string, number> = {};
    for (const { org_id: orgId, lane: name } of await this.places(lane)) {
      for (let step = STEP; step === STEP;) {
        step = await this.takeBack(orgId, name);
        taken[name] = (taken[name] ?? 0) + step;
      }
    }
    return taken;
  }

  private places(lane: string | undefined): Promise<{ org_id: string; lane: string }[]> {
    return this.database.global(WHERE, [lane ?? null]);
  }

  private takeBack(orgId: string, lane: string): Promise<number> {
    return this.database.transaction(orgId, async em => {
      const tasks = await sqlOf(em).query<{ id: string; key: string }>(NEXT, [orgId, lane, STEP]);
      await this.worker.lanes.find(({ name }) => name === lane)?.takeBack(em, orgId, tasks);
      const rows = await sqlOf(em).query(TAKE_BACK, [orgId, plainArray(tasks, task => task.id)]);
      await this.queue.wake(em, lane);
      return rows.length;
    });
  }
}
