import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { ConflictError } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { extraTask } from '../delivery-task.js';
import { DeliveryNotFoundError, type ShownDelivery } from '../log/delivery.js';
import { oneDelivery } from '../log/delivery-rows.js';
import { lockWebhook } from '../registrations/webhook-lock.js';
import { findWebhook } from '../registrations/webhook.service.js';

/** Maximum number of attempts of one delivery, including manual ones. */
export const DELIVERY_ATTEMPTS_MAX = 100;

type StoredStatus = 'pending' | 'delivered' | 'failed' | 'cancelled';

interface Candidate {
  event_id: string;
  status: StoredStatus;
  attempts: number;
}

const REASONS: Record<Exclude<StoredStatus, 'failed'>, string> = {
  pending: 'The delivery has not failed: it waits for its next attempt, or one is under way.',
  delivered: 'The delivery has not failed: the endpoint has accepted it.',
  cancelled: 'The delivery was cancelled and is not sent any more.',
};

/** The delivery has not failed, or has reached the maximum number of attempts. */
export class DeliveryNotRetriableError extends ConflictError {
  constructor(status: StoredStatus) {
    super(
      status === 'failed'
        ? `The delivery has had ${DELIVERY_ATTEMPTS_MAX} attempts, the maximum.`
        : `${REASONS[status]} Only a failed delivery can be retried.`,
    );
  }
}

const LOCK = `
select event_id, status, attempts from ${SCHEMA}.webhook_deliveries
where org_id = $1 and webhook_id = $2 and id = $3 for update`;

const REOPEN = `
update ${SCHEMA}.webhook_deliveries set status = 'pending', ended_at = null
where org_id = $1 and webhook_id = $2 and id = $3`;

/** Retries a failed delivery once. */
@Injectable()
export class DeliveryRetry {
  constructor(
    private readonly database: OrgDatabase,
    private readonly tasks: TaskQueue,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Makes one more attempt of a failed delivery: at once, or when a paused webhook is resumed. If the attempt fails,
   * the delivery is `failed` again. Of two concurrent calls, one is refused.
   * @throws WebhookNotFoundError
   * @throws DeliveryNotFoundError
   * @throws DeliveryNotRetriableError
   */
  async retry(actor: Actor, webhookId: string, id: string): Promise<ShownDelivery> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      await lockWebhook(em, webhookId, 'use');
      await findWebhook(em, orgId, webhookId);
      const { event_id: eventId, status, attempts } = await candidate(em, [orgId, webhookId, id]);
      if (status !== 'failed' || attempts >= DELIVERY_ATTEMPTS_MAX) throw new DeliveryNotRetriableError(status);
      await sqlOf(em).query(REOPEN, [orgId, webhookId, id]);
      await this.tasks.add(em, orgId, [extraTask({ id, webhookId, eventId, attempts }, 'manual')]);
      await this.audit.append(em, actor, {
        action: 'webhook_delivery.retried',
        resourceType: 'webhook_delivery',
        resourceId: id,
        before: { status, attempts },
        after: { status: 'pending', attempts, webhook_id: webhookId },
      });
      return oneDelivery(em, orgId, webhookId, id);
    });
  }
}

async function candidate(em: EntityManager, key: readonly [string, string, string]): Promise<Candidate> {
  const [row] = await sqlOf(em).query<Candidate>(LOCK, key);
  if (!row) throw new DeliveryNotFoundError(key[2]);
  return row;
}
