import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { SecretUnreadableError, type SecretPlace } from '#core';
import { SCHEMA, sqlOf } from '#database';
import { TaskQueue } from '#outbox';
import { SecretVault } from '#secrets';
import { newSigningSecret } from '../decide/index.js';
import { WEBHOOK_QUEUE } from '../delivery-task.js';
import { RECOVERY_QUEUE } from '../recovery-task.js';
import type { Webhook } from './webhook.entity.js';

const OWNER = 'webhooks';

// Every pending delivery has a task with the same id. A single statement sees one snapshot, and so cancels exactly the
// deliveries whose tasks it deletes. A task that is committed later does not find its webhook when it is loaded. Tasks
// are locked in the order of their ids, to avoid deadlocks.
const CANCEL = `
with waiting as (
  select t.id from ${SCHEMA}.tasks t
  where t.org_id = $1 and t.queue = '${WEBHOOK_QUEUE}' and t.key = $2::uuid::text order by t.id for update),
removed as (delete from ${SCHEMA}.tasks t using waiting where t.org_id = $1 and t.id = waiting.id returning t.id)
update ${SCHEMA}.webhook_deliveries d set status = 'cancelled', ended_at = $3
where d.org_id = $1 and d.webhook_id = $2::uuid and d.status = 'pending' and d.id = any (array(select id from removed))`;

// Locks rows in the same order as the code that counts attempts. Otherwise, the two could deadlock.
const FORGET_FIGURES = `
delete from ${SCHEMA}.webhook_hours h where h.org_id = $1 and h.webhook_id = $2 and h.hour = any (array(
  select f.hour from ${SCHEMA}.webhook_hours f where f.org_id = $1 and f.webhook_id = $2 order by f.hour for update))`;

/** Manages the data of a webhook outside of its row: the signing secrets and the waiting tasks. */
@Injectable()
export class WebhookResources {
  constructor(
    private readonly vault: SecretVault,
    private readonly tasks: TaskQueue,
  ) {}

  /** Generates the first signing secret. No other method returns it. */
  async equip(em: EntityManager, webhook: Webhook): Promise<string> {
    const secret = newSigningSecret();
    await this.vault.put(em, placeOf(webhook, 'signing_secret'), secret);
    if (!webhook.enabled) await this.followPause(em, webhook);
    return secret;
  }

  /** Replaces the signing secret. The old secret becomes the previous secret, or is deleted. */
  async replaceSecret(em: EntityManager, webhook: Webhook, keepPrevious: boolean): Promise<string> {
    const current = placeOf(webhook, 'signing_secret');
    const kept = keepPrevious && (await this.keepAsPrevious(em, current));
    if (!kept) await this.vault.deleteAll(em, webhook.orgId, OWNER, webhook.id);
    const secret = newSigningSecret();
    await this.vault.put(em, current, secret);
    return secret;
  }

  /** Puts the deliveries of a paused webhook on hold, and releases them when the webhook is resumed. */
  async followPause(em: EntityManager, { orgId, id, enabled }: Webhook): Promise<void> {
    if (enabled) await this.tasks.release(em, orgId, WEBHOOK_QUEUE, id);
    else await this.tasks.hold(em, orgId, WEBHOOK_QUEUE, id);
  }

  /** Recalls tasks that workers have already claimed, so that every later attempt uses the changed webhook. */
  announceChange(em: EntityManager, { id }: Webhook): void {
    this.tasks.recall(em, WEBHOOK_QUEUE, id);
  }

  /** Cancels all waiting deliveries and deletes the secrets. Running attempts continue. */
  async discard(em: EntityManager, { orgId, id }: Webhook, now: Date): Promise<void> {
    const tx = sqlOf(em);
    // Deleting the recovery waits for its running step. The deliveries of that step are then cancelled, too.
    await this.tasks.removeKey(em, orgId, RECOVERY_QUEUE, id);
    await tx.query(CANCEL, [orgId, id, now]);
    await this.tasks.forgetKey(em, orgId, WEBHOOK_QUEUE, id);
    await tx.query(FORGET_FIGURES, [orgId, id]);
    await this.vault.deleteAll(em, orgId, OWNER, id);
  }

  /**
   * Stores the current secret as the previous one. Returns false if the current secret is unreadable: it could not
   * sign, so it may be replaced all the same.
   */
  private async keepAsPrevious(em: EntityManager, current: SecretPlace): Promise<boolean> {
    try {
      return await this.vault.move(em, current, 'previous_signing_secret');
    } catch (error) {
      if (error instanceof SecretUnreadableError) return false;
      throw error;
    }
  }
}

/** The name of a signing secret in the vault. */
export function placeOf(
  webhook: Pick<Webhook, 'orgId' | 'id'>,
  name: 'signing_secret' | 'previous_signing_secret',
): SecretPlace {
  return { orgId: webhook.orgId, owner: OWNER, ownerId: webhook.id, name };
}
