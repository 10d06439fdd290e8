import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { lockWebhook } from '../registrations/webhook-lock.js';
import { findWebhook } from '../registrations/webhook.service.js';
import { DELIVERY_ATTEMPTS_MAX } from './delivery-retry.js';
import { RECOVERY_QUEUE, type RecoverySubject } from '../recovery-task.js';

/** A recovery that has started. */
export interface StartedRecovery {
  webhookId: string;
  since: Date;
  until: Date;
  /** Number of failed deliveries in the range when the recovery started. */
  deliveries: number;
}

const COUNT = `
select count(*)::float8 as deliveries from ${SCHEMA}.webhook_deliveries
where org_id = $1 and webhook_id = $2 and status = 'failed' and created_at >= $3 and created_at <= $4
  and attempts < ${DELIVERY_ATTEMPTS_MAX}`;

/** Retries all deliveries that failed since a time, for instance after an outage of the endpoint. */
@Injectable()
export class RecoveryService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly tasks: TaskQueue,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Starts a recovery. It makes one more attempt of each failed delivery that was created from `since` until now. The
   * recovery runs in the background and continues after a restart.
   * @throws WebhookNotFoundError
   * @throws BadRequestError if `since` is not in the past
   */
  async begin(actor: Actor, webhookId: string, since: Date): Promise<StartedRecovery> {
    const { orgId } = actor;
    const until = this.clock.now();
    if (since >= until) throw BadRequestError.field('since', 'must be in the past');
    return this.database.transaction(orgId, async em => {
      await lockWebhook(em, webhookId, 'use');
      await findWebhook(em, orgId, webhookId);
      const [row] = await sqlOf(em).query<{ deliveries: number }>(COUNT, [orgId, webhookId, since, until]);
      const subject: RecoverySubject = { since: since.toISOString(), until: until.toISOString(), after: null };
      await this.tasks.add(em, orgId, [{ id: newId(until), queue: RECOVERY_QUEUE, key: webhookId, payload: subject }]);
      const { deliveries } = row ?? { deliveries: 0 };
      await this.audit.append(em, actor, {
        action: 'webhook.recovery_begun',
        resourceType: 'webhook',
        resourceId: webhookId,
        before: null,
        after: { since: subject.since, until: subject.until, deliveries },
      });
      return { webhookId, since, until, deliveries };
    });
  }
}
