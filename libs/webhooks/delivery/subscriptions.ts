import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import { NAMED_EVENT_TYPES, TaskQueue, type EventConsumer, type FiredEvent } from '#outbox';
import { WEBHOOK_QUEUE } from '../delivery-task.js';
import { DELIVERY_DIGEST, DELIVERY_ID } from './delivery-id.sql.js';

// Paused webhooks get deliveries too. These deliveries wait.
const SUBSCRIBE = prepared(
  'subscribe_webhooks_by_name',
  `
with made as (
  insert into ${SCHEMA}.webhook_deliveries (org_id, event_id, webhook_id, id, event_type, status, created_at)
  select $1, e.id, w.id, ${DELIVERY_ID}, e.type, 'pending', e.at
  from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as e (id, type, at)
  join ${SCHEMA}.webhooks w on w.org_id = $1 and case
    when w.events is null then e.type <> all (array[${NAMED_EVENT_TYPES.map(type => `'${type}'`).join(', ')}])
    else e.type = any (w.events) end
  cross join lateral (select ${DELIVERY_DIGEST} as digest) d
  returning id, webhook_id, event_id),
queued as (
  insert into ${SCHEMA}.tasks (org_id, id, queue, key, due_at, attempt, subject)
  select $1, id, '${WEBHOOK_QUEUE}', webhook_id::text, ${SCHEMA}.now(), 1, jsonb_build_object('event_id', event_id)
  from made)
select exists (select from made) as is_work`,
);

/** Creates one delivery per event and subscribed webhook, in the transaction of the event (fan-out). */
@Injectable()
export class Subscriptions implements EventConsumer {
  constructor(private readonly queue: TaskQueue) {}

  async accept(em: EntityManager, orgId: string, events: readonly FiredEvent[]): Promise<void> {
    const [made] = await sqlOf(em).query<{ is_work: boolean }>(SUBSCRIBE, [
      orgId,
      plainArray(events, event => event.id),
      plainArray(events, event => event.type),
      plainArray(events, event => event.createdAt.toISOString()),
    ]);
    if (made?.is_work) await this.queue.wake(em, WEBHOOK_QUEUE);
  }
}
