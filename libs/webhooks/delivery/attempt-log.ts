import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '#core';
import { bytesArray, plainArray, SCHEMA, sqlOf, textArray } from '#database';
import type { Attempt } from './attempt.js';

/** Where a delivery stands after an attempt. */
export interface EndedDelivery {
  readonly attempt: Attempt;
  readonly status: 'pending' | 'delivered' | 'failed';
}

const INSERT = `
insert into ${SCHEMA}.webhook_attempts
  (org_id, id, delivery_id, webhook_id, number, trigger, started_at, duration_ms, http_status, response_body,
   response_truncated, error)
select $1, * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::timestamptz[],
  $8::integer[], $9::integer[], $10::bytea[], $11::boolean[], $12::text[])`;

// The rows of several webhooks are locked in one order on all replicas.
const COUNT = `
insert into ${SCHEMA}.webhook_hours as h
  (org_id, webhook_id, hour, attempts, succeeded, timeouts, duration_ms, last_success_at, last_failure_at)
select $1, a.webhook_id, date_trunc('hour', a.at, 'UTC'), count(*), count(*) filter (where a.ok),
  count(*) filter (where a.timed_out), coalesce(sum(a.duration_ms), 0),
  max(a.at) filter (where a.ok), max(a.at) filter (where not a.ok)
from unnest($2::uuid[], $3::timestamptz[], $4::integer[], $5::boolean[], $6::boolean[])
  as a (webhook_id, at, duration_ms, ok, timed_out)
group by 2, 3 order by 2, 3
on conflict (org_id, webhook_id, hour) do update set
  attempts = h.attempts + excluded.attempts, succeeded = h.succeeded + excluded.succeeded,
  timeouts = h.timeouts + excluded.timeouts, duration_ms = h.duration_ms + excluded.duration_ms,
  last_success_at = greatest(h.last_success_at, excluded.last_success_at),
  last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at)`;

// The events are named once more as a list, so that only their days' partitions are looked at.
const UPDATE = `
update ${SCHEMA}.webhook_deliveries d
set status = r.status, attempts = r.number, ended_at = case when r.status <> 'pending' then $6::timestamptz end
from unnest($2::uuid[], $3::uuid[], $4::integer[], $5::text[]) as r (event_id, webhook_id, number, status)
where d.org_id = $1 and d.event_id = any ($2::uuid[]) and d.event_id = r.event_id and d.webhook_id = r.webhook_id`;

const GIVE_UP = `
update ${SCHEMA}.webhook_deliveries d set status = 'failed', ended_at = $4
from unnest($2::uuid[], $3::uuid[]) as r (event_id, webhook_id)
where d.org_id = $1 and d.event_id = any ($2::uuid[]) and d.event_id = r.event_id and d.webhook_id = r.webhook_id`;

/** Writes attempts and what they make of their deliveries. Takes part in the caller's transaction. */
export class AttemptLog {
  /** Adds attempts to the log. */
  async add(em: EntityManager, orgId: string, attempts: readonly Attempt[], now: Date): Promise<void> {
    if (attempts.length === 0) return;
    await sqlOf(em).query(INSERT, [
      orgId,
      plainArray(attempts, () => newId(now)),
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
    ]);
  }

  /** Adds attempts, counts them, and sets their deliveries' status. */
  async settle(em: EntityManager, orgId: string, ended: readonly EndedDelivery[], now: Date): Promise<void> {
    const attempts = ended.map(({ attempt }) => attempt);
    await this.add(
      em,
      orgId,
      attempts.filter(attempt => !attempt.interrupted),
      now,
    );
    await sqlOf(em).query(COUNT, [
      orgId,
      plainArray(attempts, attempt => attempt.webhookId),
      plainArray(attempts, attempt => attempt.startedAt.toISOString()),
      plainArray(attempts, attempt => attempt.durationMs),
      plainArray(attempts, attempt => String(attempt.succeeded)),
      plainArray(attempts, attempt => String(attempt.timedOut)),
    ]);
    await sqlOf(em).query(UPDATE, [
      orgId,
      plainArray(attempts, attempt => attempt.eventId),
      plainArray(attempts, attempt => attempt.webhookId),
      plainArray(attempts, attempt => attempt.number),
      plainArray(ended, ({ status }) => status),
      now,
    ]);
  }

  /** Marks deliveries as failed whose tasks are put aside. */
  async giveUp(
    em: EntityManager,
    orgId: string,
    deliveries: readonly { eventId: string; webhookId: string }[],
    now: Date,
  ) {
    await sqlOf(em).query(GIVE_UP, [
      orgId,
      plainArray(deliveries, delivery => delivery.eventId),
      plainArray(deliveries, delivery => delivery.webhookId),
      now,
    ]);
  }
}

function bytesOrNull(values: readonly (Buffer | null)[]): (Buffer | null)[] | string {
  // Without a null the array can be written as one text.
  return values.includes(null) ? [...values] : bytesArray(values, value => value?.toString('hex') ?? '');
}
