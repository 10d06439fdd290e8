import { Inject, Injectable, Optional } from '@nestjs/common';
import { OrganizationStates } from '#core';
import { OrgDatabase, plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { TaskQueue } from './task-queue.js';
import type { Task } from './task.js';

/** Prefix of the queue name of tasks whose organization is suspended. */
export const SUSPENDED_PREFIX = 'suspended ';

/** Number of tasks per transaction when an organization is resumed. */
const BATCH = 5_000;

// Locks tasks in the order of their ids, like other statements. If the lease of a task is no longer valid, the task
// belongs to another worker and is skipped.
const PUT_ASIDE = `
with held as (
  select t.id, l.due from unnest($2::uuid[], $3::uuid[], $4::timestamptz[]) as l (id, token, due)
  join ${SCHEMA}.tasks t on t.org_id = $1 and t.id = l.id and t.lease_token = l.token
  order by t.id for update of t)
update ${SCHEMA}.tasks t
set queue = '${SUSPENDED_PREFIX}' || t.queue, lease_token = null, due_at = least(held.due, ${SCHEMA}.now())
from held where t.org_id = $1 and t.id = held.id`;

const TAKE_UP = `
with waiting as (
  select id from ${SCHEMA}.tasks where org_id = $1 and queue like '${SUSPENDED_PREFIX}%' order by id limit ${BATCH} for update)
update ${SCHEMA}.tasks t set queue = substr(t.queue, ${SUSPENDED_PREFIX.length + 1})
from waiting w where t.org_id = $1 and t.id = w.id
returning t.queue`;

/**
 * The tasks of suspended organizations. If a worker claims such a task, it moves the task to a queue without workers,
 * so that later claims do not see it. The due time and the attempts of the task stay unchanged.
 */
@Injectable()
export class SuspendedTasks {
  /** Undefined if organizations cannot be suspended. */
  @Optional() @Inject(OrganizationStates) private readonly organizations?: OrganizationStates;

  constructor(
    private readonly database: OrgDatabase,
    private readonly queue: TaskQueue,
  ) {}

  /**
   * Parks claimed tasks of one organization and returns true. If the organization is active, does nothing and returns
   * false.
   */
  async park(orgId: string, tasks: readonly Task[]): Promise<boolean> {
    const { organizations } = this;
    if (!(await organizations?.isSuspended(orgId))) return false;
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      // The state in memory may be a second old, so the database is checked. A task that was parked after the
      // organization was resumed would wait forever.
      if (!(await organizations?.isSuspendedWithin(tx, orgId))) return false;
      await tx.query(PUT_ASIDE, [
        orgId,
        plainArray(tasks, task => task.id),
        plainArray(tasks, task => task.leaseToken),
        textArray(tasks, task => task.dueAt),
      ]);
      return true;
    });
  }

  /**
   * Returns the tasks of an organization to their queues, in transactions of limited size. Returns the number of tasks.
   */
  async takeUp(orgId: string): Promise<number> {
    for (let total = 0; ;) {
      const moved = await this.database.transaction(orgId, async em => {
        const rows = await sqlOf(em).query<{ queue: string }>(TAKE_UP, [orgId]);
        for (const name of new Set(rows.map(row => row.queue))) await this.queue.wake(em, name);
        return rows.length;
      });
      total += moved;
      if (moved < BATCH) return total;
    }
  }
}
