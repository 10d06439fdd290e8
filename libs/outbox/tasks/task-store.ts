import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { OrgDatabase, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import type { Allowances } from './slots.js';
import type { SuspendedTasks } from './suspended-tasks.js';
import type { Task } from './task.js';

/** The end of an attempt. */
export interface TaskEnd {
  readonly task: Task;
  /** Milliseconds until the next attempt; null if the task has ended. */
  readonly againAfterMs: number | null;
  readonly payload?: JsonObject | undefined;
  /** Reading of the monotonic clock at the end of the attempt. The delay of the next attempt counts from this time. */
  readonly endedAt: number;
}

/** A fault of a task. */
export interface TaskFault {
  readonly task: Task;
  readonly message: string;
}

/** The result of a claim. */
export interface Claim {
  readonly tasks: Task[];
  /** Whether other workers had locked all due tasks at the time of the claim: claim again soon. */
  readonly contended: boolean;
  /** Whether some keys were not examined. They may have due tasks. */
  readonly isCutShort: boolean;
}

interface ClaimedRow {
  org_id: string | null;
  id: string;
  key: string;
  attempt: number;
  interruptions: number;
  /** Milliseconds since 1970. The driver would return a time as text. */
  interrupted_ms: number | null;
  subject: JsonObject;
  lease_token: string;
  was_due: string;
  cut_short: boolean;
}

const CLAIM = prepared(
  'claim_tasks',
  `
select org_id, id, key, attempt, interruptions, extract(epoch from interrupted_at)::float8 * 1000 as interrupted_ms, subject,
  lease_token, was_due::text as was_due, cut_short
from ${SCHEMA}.claim_tasks($1, $2, $3, $4::jsonb, $5)`,
);

const NEXT = prepared('next_tasks', `select queue, in_ms from ${SCHEMA}.next_tasks($1::text[])`);

const RENEW = `select id from ${SCHEMA}.renew_tasks($1::uuid[], $2::uuid[], $3::uuid[], $4)`;

const RELEASE = `select ${SCHEMA}.release_tasks($1::uuid[], $2::uuid[], $3::uuid[], $4::timestamptz[])`;

const END = prepared(
  'end_tasks',
  `select id from ${SCHEMA}.end_tasks($1, $2::uuid[], $3::uuid[], $4::float8[], $5::jsonb[]) as id`,
);

/** Delays of the retries after a fault, in milliseconds. If the last retry fails, the task is dead-lettered. */
const FAULT_DELAYS_MS = [1_000, 5_000, 30_000, 300_000];

const FAULT = `
with held as (
  select t.id, f.message from unnest($2::uuid[], $3::uuid[], $4::text[]) as f (lease_id, token, message)
  join ${SCHEMA}.tasks t on t.org_id = $1 and t.id = f.lease_id and t.lease_token = f.token
  order by t.id for update of t)
update ${SCHEMA}.tasks t
set faults = t.faults + 1, fault = held.message, lease_token = null,
    due_at = ${SCHEMA}.now() + coalesce(($5::float8[])[t.faults + 1], 0) * interval '1 millisecond',
    quarantined_at = case when t.faults + 1 > cardinality($5::float8[]) then ${SCHEMA}.now() end
from held where t.org_id = $1 and t.id = held.id
returning t.id, t.queue, t.quarantined_at is not null as is_dead`;

const FAULT_LENGTH = 1_000;

/**
 * The SQL statements of the workers. Statements across organizations call functions that return only data that workers
 * need.
 */
export class TaskStore {
  constructor(
    private readonly database: OrgDatabase,
    private readonly suspended?: SuspendedTasks,
  ) {}

  /** If the organization is suspended, parks claimed tasks of it and returns true. */
  async park(orgId: string, tasks: readonly Task[]): Promise<boolean> {
    return (await this.suspended?.park(orgId, tasks)) ?? false;
  }

  /** Claims due tasks under a lease, in the order of their due times. */
  async claim(queue: string, want: number, others: number, freeOf: Allowances, leaseMs: number): Promise<Claim> {
    const values = [queue, want, others, JSON.stringify(Object.fromEntries(freeOf)), leaseMs];
    const rows = await this.database.global<ClaimedRow>(CLAIM, values);
    const tasks = rows.flatMap(row => taskOf(row));
    return { tasks, contended: rows.length > tasks.length, isCutShort: rows.some(row => row.cut_short) };
  }

  /** Milliseconds until the next task becomes due, by queue. Queues without a task are omitted. */
  async next(queues: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.global<{ queue: string; in_ms: number }>(NEXT, [queues]);
    return new Map(rows.map(row => [row.queue, row.in_ms]));
  }

  /** Ends tasks or sets their next due time. Returns the ids of the tasks whose lease was still valid. */
  async end(em: EntityManager, orgId: string, ends: readonly TaskEnd[]): Promise<Set<string>> {
    const now = performance.now();
    const rows = await sqlOf(em).query<{ id: string }>(END, [
      orgId,
      plainArray(ends, end => end.task.id),
      plainArray(ends, end => end.task.leaseToken),
      plainArray(ends, end => (end.againAfterMs === null ? null : Math.max(0, end.againAfterMs - (now - end.endedAt)))),
      textArray(ends, end => (end.payload === undefined ? null : JSON.stringify(end.payload))),
    ]);
    return new Set(rows.map(row => row.id));
  }

  /** Records faults. Returns the ids of the tasks that are now dead-lettered. */
  async fault(em: EntityManager, orgId: string, faults: readonly TaskFault[]): Promise<Set<string>> {
    const rows = await sqlOf(em).query<{ id: string; is_dead: boolean }>(FAULT, [
      orgId,
      plainArray(faults, fault => fault.task.id),
      plainArray(faults, fault => fault.task.leaseToken),
      textArray(faults, fault => fault.message.replaceAll('\0', '�').slice(0, FAULT_LENGTH)),
      plainArray(FAULT_DELAYS_MS, delay => delay),
    ]);
    return new Set(rows.filter(row => row.is_dead).map(row => row.id));
  }

  /** Renews leases. Returns the ids of the tasks whose lease was still valid. */
  async renew(tasks: readonly Task[], leaseMs: number): Promise<Set<string>> {
    const rows = await this.database.global<{ id: string }>(RENEW, [
      plainArray(tasks, task => task.orgId),
      plainArray(tasks, task => task.id),
      plainArray(tasks, task => task.leaseToken),
      leaseMs,
    ]);
    return new Set(rows.map(row => row.id));
  }

  /** Releases the leases of tasks that were not started. */
  async release(tasks: readonly Task[]): Promise<void> {
    await this.database.global(RELEASE, [
      plainArray(tasks, task => task.orgId),
      plainArray(tasks, task => task.id),
      plainArray(tasks, task => task.leaseToken),
      textArray(tasks, task => task.dueAt),
    ]);
  }
}

function taskOf(row: ClaimedRow): Task[] {
  if (row.org_id === null) return [];
  return [
    {
      orgId: row.org_id,
      id: row.id,
      key: row.key,
      attempt: row.attempt,
      interruptions: row.interruptions,
      interruptedAt: row.interrupted_ms === null ? null : new Date(row.interrupted_ms),
      payload: row.subject,
      leaseToken: row.lease_token,
      dueAt: row.was_due,
    },
  ];
}
