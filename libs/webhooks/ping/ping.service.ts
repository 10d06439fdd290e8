import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, newId, RateLimitedError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { EventOutbox, PING, TaskQueue, type FiredEvent } from '#outbox';
import { scheduledTask } from '../delivery-task.js';
import type { ShownDelivery } from '../log/delivery.js';
import { oneDelivery } from '../log/delivery-rows.js';
import { lockWebhook } from '../registrations/webhook-lock.js';
import { WebhookPausedError } from '../registrations/webhook.errors.js';
import { findWebhook } from '../registrations/webhook.service.js';

/** Maximum number of pings to one webhook per minute. */
export const PINGS_PER_MINUTE = 10;

/** The webhook has received the maximum number of pings within a minute. */
export class TooManyPingsError extends RateLimitedError {
  constructor(seconds: number) {
    super(`You can test a webhook at most ${PINGS_PER_MINUTE} times per minute; wait ${seconds} seconds.`, seconds);
  }
}

const MINUTE_MS = 60_000;

// The range begins at the lowest id of the last minute, so that older rows are not read.
const RECENT = `
select extract(epoch from d.created_at)::float8 * 1000 as created_ms from ${SCHEMA}.webhook_deliveries d
where d.org_id = $1 and d.webhook_id = $2 and d.event_type = '${PING}' and d.id >= $3::uuid and d.created_at > $4
order by d.id desc limit ${PINGS_PER_MINUTE}`;

const INSERT = `
insert into ${SCHEMA}.webhook_deliveries (org_id, event_id, webhook_id, id, event_type, status, created_at)
values ($1, $2, $3, $4, $5, 'pending', $6)`;

/** Tests a webhook with an event of type `ping`, which is delivered like any other event. */
@Injectable()
export class PingService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly outbox: EventOutbox,
    private readonly tasks: TaskQueue,
  ) {}

  /**
   * Sends a ping to one webhook, regardless of its subscriptions.
   * @throws WebhookNotFoundError
   * @throws WebhookPausedError
   * @throws TooManyPingsError after ten pings within a minute
   */
  async ping(actor: Actor, webhookId: string): Promise<ShownDelivery> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      // The lock makes concurrent pings wait for each other, so that their count is exact.
      await lockWebhook(em, webhookId, 'change');
      const { enabled } = await findWebhook(em, orgId, webhookId);
      if (!enabled) throw new WebhookPausedError();
      const now = this.clock.now();
      await refuseMore(em, orgId, webhookId, now);
      const [event] = await this.outbox.store(em, orgId, [{ type: PING, data: {} }]);
      if (!event) throw new Error('the outbox stored no event');
      const id = newId(now);
      await this.deliver(em, event, webhookId, id);
      await this.audit.append(em, actor, {
        action: 'webhook.tested',
        resourceType: 'webhook',
        resourceId: webhookId,
        before: null,
        after: { delivery_id: id, event_id: event.wireId },
      });
      return oneDelivery(em, orgId, webhookId, id);
    });
  }

  private async deliver(em: EntityManager, event: FiredEvent, webhookId: string, id: string): Promise<void> {
    const { orgId, id: eventId, type, createdAt } = event;
    await sqlOf(em).query(INSERT, [orgId, eventId, webhookId, id, type, createdAt]);
    await this.tasks.add(em, orgId, [scheduledTask({ id, webhookId, eventId })]);
  }
}

async function refuseMore(em: EntityManager, orgId: string, webhookId: string, now: Date): Promise<void> {
  const since = new Date(now.getTime() - MINUTE_MS);
  const firstId = newId(since, Buffer.alloc(10));
  const recent = await sqlOf(em).query<{ created_ms: number }>(RECENT, [orgId, webhookId, firstId, since]);
  const oldest = recent.at(-1);
  if (recent.length < PINGS_PER_MINUTE || !oldest) return;
  throw new TooManyPingsError(Math.max(1, Math.ceil((oldest.created_ms + MINUTE_MS - now.getTime()) / 1000)));
}
