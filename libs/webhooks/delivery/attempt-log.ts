import { createHash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '#core';
import { bytesArray, plainArray, prepared, SCHEMA, sqlOf, textArray } from '#database';
import type { Task, TaskName } from '#outbox';
import { interruptedAttempt, type Attempt } from './attempt.js';

/** An attempt, and the status of its delivery after it. */
export interface EndedDelivery {
  readonly attempt: Attempt;
  readonly status: 'pending' | 'delivered' | 'failed';
}

const INSERT = `
insert into ${SCHEMA}.webhook_attempts
  (org_id, id, delivery_id, webhook_id, number, trigger, started_at, duration_ms, http_status, response_body,
   response_truncated, error, headers)
select $1, * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::timestamptz[],
  $8::integer[], $9::integer[], $10::bytea[], $11::boolean[], $12::text[], $13::text[])
on conflict do nothing`;

const SETTLE = prepared(
  'log_attempts',
  `
select ${SCHEMA}.log_attempts($1, $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::timestamptz[],
  $8::integer[], $9::integer[], $10::bytea[], $11::boolean[], $12::text[], $13::text[], $14::boolean[], $15::boolean[],
  $16::boolean[], $17::text[], $18)`,
);

const END = `
update ${SCHEMA}.webhook_deliveries d set status = $5, ended_at = $4
where d.org_id = $1 and d.webhook_id = any ($2::uuid[]) and d.id = any ($3::uuid[]) and d.status = 'pending'`;

const REOPEN = `
update ${SCHEMA}.webhook_deliveries d set status = 'pending', ended_at = null
where d.org_id = $1 and d.webhook_id = any ($2::uuid[]) and d.id = any ($3::uuid[]) and d.status = 'failed'`;

/** Writes attempts and the status of their deliveries, in the caller's transaction. */
export class AttemptLog {
  /**
   * Adds an attempt for each task that a crash interrupted during an attempt. Does nothing if the log already contains
   * the attempt.
   */
  async addInterrupted(em: EntityManager, orgId: string, tasks: readonly Task[]): Promise<void> {
    if (tasks.length === 0) return;
    const ids = plainArray(tasks, interruptionId);
    await sqlOf(em).query(INSERT, [orgId, ids, ...columnsOf(tasks.map(interruptedAttempt))]);
  }

  /** Adds attempts, counts them, and sets the status of their deliveries. */
  async settle(em: EntityManager, orgId: string, ended: readonly EndedDelivery[], now: Date): Promise<void> {
    const attempts = ended.map(({ attempt }) => attempt);
    await sqlOf(em).query(SETTLE, [
      orgId,
      plainArray(attempts, () => newId(now)),
      ...columnsOf(attempts),
      plainArray(attempts, attempt => String(attempt.interrupted)),
      plainArray(attempts, attempt => String(attempt.timedOut)),
      plainArray(attempts, attempt => String(attempt.succeeded)),
      plainArray(ended, ({ status }) => status),
      now,
    ]);
  }

  /** Sets the status of pending deliveries that get no further attempt. */
  async end(
    em: EntityManager,
    orgId: string,
    deliveries: readonly TaskName[],
    status: 'failed' | 'cancelled',
    now: Date,
  ): Promise<void> {
    if (deliveries.length > 0) await sqlOf(em).query(END, [orgId, ...keysOf(deliveries), now, status]);
  }

  /** Sets failed deliveries to pending again. */
  async reopen(em: EntityManager, orgId: string, deliveries: readonly TaskName[]): Promise<void> {
    await sqlOf(em).query(REOPEN, [orgId, ...keysOf(deliveries)]);
  }
}

/** The key of a delivery. */
function keysOf(deliveries: readonly TaskName[]): [webhookIds: string, ids: string] {
  return [plainArray(deliveries, ({ key }) => key), plainArray(deliveries, ({ id }) => id)];
}

/**
 * The id of an interrupted attempt. It is deterministic: however often the task is loaded, the log gets one entry per
 * interruption.
 */
function interruptionId(task: Task): string {
  const { id, attempt, interruptions, interruptedAt } = task;
  const digest = createHash('sha256').update(`${id} ${attempt} ${interruptions}`).digest();
  return newId(interruptedAt ?? new Date(0), digest.subarray(0, 10));
}

/** Values for the columns of the log after the id, in the order of the statements. */
function columnsOf(attempts: readonly Attempt[]): unknown[] {
  return [
    plainArray(attempts, attempt => attempt.deliveryId),
    plainArray(attempts, attempt => attempt.webhookId),
    plainArray(attempts, attempt => attempt.number),
    plainArray(attempts, attempt => attempt.trigger),
    plainArray(attempts, attempt => attempt.startedAt.toISOString()),
    plainArray(attempts, attempt => attempt.durationMs),
    plainArray(attempts, attempt => attempt.httpStatus),
    bytesOrNull(attempts.map(attempt => attempt.responseBody)),
    plainArray(attempts, attempt => String(attempt.responseTruncated)),
    textArray(attempts, attempt => attempt.error),
    textArray(attempts, attempt => attempt.headers),
  ];
}

function bytesOrNull(values: readonly (Buffer | null)[]): (Buffer | null)[] | string {
  // If no element is null, the whole array can be written as one text.
  return values.includes(null) ? [...values] : bytesArray(values, value => value?.toString('hex') ?? '');
}
