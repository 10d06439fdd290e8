import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { OrgDatabase, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import type { Allowances } from './slots.js';
import type { Task } from './task.js';

/** What becomes of a task whose attempt has ended. */
export interface TaskEnd {
  readonly task: Task;
  /** Null: it is over. */
  readonly againAfterMs: number | null;
  readonly subject?: JsonObject | undefined;
  /** Reading of the monotonic clock when the attempt ended; the time until the next one counts from there. */
  readonly endedAt: number;
}

/** A task whose queue failed on it. */
export interface TaskFault {
  readonly task: Task;
  readonly message: string;
}

/** What a claim brought. */
export interface Claim {
  readonly tasks: Task[];
  /** Nothing, because other workers have their hands on it just now: worth another look in a moment. */
  readonly contended: boolean;
  /** Not every key of which something is due was looked at. */
  readonly isCutShort: boolean;
}

interface ClaimedRow {
  org_id: string | null;
  id: string;
  key: string;
  attempt: number;
  interruptions: number;
  /** Milliseconds since 1970: times come out of the driver as texts. */
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

/** Milliseconds before each new try after a fault; after the last one the task is dead-lettered. */
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

/** The statements of the workers. Those that name no organization are functions that see ids and times alone. */
export class TaskStore {
  constructor(private readonly database: OrgDatabase) {}

  /** Leases what is due, the longest due first. */
  async claim(queue: string, want: number, others: number, freeOf: Allowances, leaseMs: number): Promise<Claim> {
    const values = [queue, want, others, JSON.stringify(Object.fromEntries(freeOf)), leaseMs];
    const rows = await this.database.global<ClaimedRow>(CLAIM, values);
    const tasks = rows.flatMap(row => taskOf(row));
    return { tasks, contended: rows.length > tasks.length, isCutShort: rows.some(row => row.cut_short) };
  }

  /** Milliseconds until the next task that is not due yet, by queue; a queue without one is missing. */
  async next(queues: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.global<{ queue: string; in_ms: number }>(NEXT, [queues]);
    return new Map(rows.map(row => [row.queue, row.in_ms]));
  }

  /** Ends tasks, or sets their next time; returns the ids of those whose lease held. */
  async end(em: EntityManager, orgId: string, ends: readonly TaskEnd[]): Promise<Set<string>> {
    const now = performance.now();
    const rows = await sqlOf(em).query<{ id: string }>(END, [
      orgId,
      plainArray(ends, end => end.task.id),
      plainArray(ends, end => end.task.leaseToken),
      plainArray(ends, end => (end.againAfterMs === null ? null : Math.max(0, end.againAfterMs - (now - end.endedAt)))),
      textArray(ends, end => (end.subject === undefined ? null : JSON.stringify(end.subject))),
    ]);
    return new Set(rows.map(row => row.id));
  }

  /** Notes faults; returns the ids of those tasks that are dead-lettered now. */
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

  /** Prolongs leases; returns the ids of those that still held. */
  async renew(tasks: readonly Task[], leaseMs: number): Promise<Set<string>> {
    const rows = await this.database.global<{ id: string }>(RENEW, [
      plainArray(tasks, task => task.orgId),
      plainArray(tasks, task => task.id),
      plainArray(tasks, task => task.leaseToken),
      leaseMs,
    ]);
    return new Set(rows.map(row => row.id));
  }

  /** Gives up leases of tasks that were claimed and not begun. */
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
      subject: row.subject,
      leaseToken: row.lease_token,
      dueAt: row.was_due,
    },
  ];
}
