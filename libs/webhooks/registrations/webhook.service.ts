import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AuditLog, type Actor } from '#access';
import { BadRequestError, Clock, newId, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { EgressClient, EgressRefusedError } from '#egress';
import { WebhookResources } from './webhook-resources.js';
import { Webhook } from './webhook.entity.js';
import { TooManyWebhooksError, WebhookNotFoundError, WEBHOOKS_MAX } from './webhook.errors.js';
import { lockRegistrations, lockWebhook } from './webhook-lock.js';
import { draftFaults, type WebhookDraft } from './webhook-rules.js';

/** A webhook with its new secret, which is shown once and stored encrypted. */
export interface WebhookWithSecret {
  webhook: Webhook;
  signingSecret: string;
}

/** Manages webhooks. Each change and its audit entry are one transaction. */
@Injectable()
export class WebhookService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly egress: EgressClient,
    private readonly resources: WebhookResources,
  ) {}

  /**
   * Registers a webhook.
   * @throws BadRequestError naming every field at fault, or saying why the URL may not be called
   * @throws TooManyWebhooksError if the organization already has 200
   */
  async register(actor: Actor, draft: WebhookDraft): Promise<WebhookWithSecret> {
    check(draft);
    const url = await this.vet(draft.url);
    const { orgId } = actor;
    const now = this.clock.now();
    const webhook = Webhook.register(orgId, newId(now), { ...draft, url }, now);
    const signingSecret = await this.database.transaction(orgId, async em => {
      await lockRegistrations(em, orgId);
      if ((await em.count(Webhook, { orgId })) >= WEBHOOKS_MAX) throw new TooManyWebhooksError();
      em.persist(webhook);
      await this.remember(em, actor, 'registered', webhook.id, null, auditedWebhook(webhook));
      return this.resources.equip(em, webhook);
    });
    return { webhook, signingSecret };
  }

  /** @throws WebhookNotFoundError */
  async get(orgId: string, id: string): Promise<Webhook> {
    return this.database.transaction(orgId, em => findWebhook(em, orgId, id));
  }

  /**
   * Changes only the supplied fields. If all values are equal, writes nothing. Waiting deliveries use the new URL.
   * While `enabled` is false, deliveries wait. After it is set to true, they are sent, the oldest first.
   * @throws WebhookNotFoundError
   * @throws BadRequestError naming every field at fault, or saying why the URL may not be called
   */
  async change(actor: Actor, id: string, changes: Partial<WebhookDraft>): Promise<Webhook> {
    check(changes);
    const patch = { ...changes };
    // The DNS query for the host runs before the transaction, and only if the URL has changed.
    if (patch.url !== undefined && patch.url !== (await this.get(actor.orgId, id)).url) {
      patch.url = await this.vet(patch.url);
    }
    return this.changing(actor, id, 'updated', async (em, webhook) => {
      const wasEnabled = webhook.enabled;
      const changed = webhook.change(patch, this.clock.now());
      if (webhook.enabled !== wasEnabled) await this.resources.followPause(em, webhook);
      return { result: webhook, changed };
    });
  }

  /**
   * Generates a new signing secret, which signs from now on. For `overlapHours` (0 to 24), a second header is signed
   * with the previous secret, so that a receiver has time to change its secret. Another rotation within that time
   * replaces the previous secret.
   * @throws WebhookNotFoundError
   */
  async rotateSecret(actor: Actor, id: string, overlapHours: number): Promise<WebhookWithSecret> {
    return this.changing(actor, id, 'secret_rotated', async (em, webhook) => {
      webhook.rotateSecret(overlapHours, this.clock.now());
      const signingSecret = await this.resources.replaceSecret(em, webhook, overlapHours > 0);
      return { result: { webhook, signingSecret }, changed: true };
    });
  }

  /**
   * Deletes a webhook and cancels its waiting deliveries. No new attempt starts on this replica, and none on other
   * replicas once they are notified of the deletion.
   * @throws WebhookNotFoundError
   */
  async delete(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      await lockWebhook(em, id, 'change');
      const webhook = await findWebhook(em, orgId, id);
      await this.resources.discard(em, webhook, this.clock.now());
      em.remove(webhook);
      await this.remember(em, actor, 'deleted', id, auditedWebhook(webhook), null);
    });
  }

  private async changing<T>(
    actor: Actor,
    id: string,
    verb: string,
    change: (em: EntityManager, webhook: Webhook) => Promise<{ result: T; changed: boolean }>,
  ): Promise<T> {
    return this.database.transaction(actor.orgId, async em => {
      await lockWebhook(em, id, 'change');
      const webhook = await findWebhook(em, actor.orgId, id);
      const before = auditedWebhook(webhook);
      const { result, changed } = await change(em, webhook);
      if (!changed) return result;
      this.resources.announceChange(em, webhook);
      await this.remember(em, actor, verb, id, before, auditedWebhook(webhook));
      return result;
    });
  }

  /**
   * Returns the normal form of the URL. Checks the address at this point, so that a forbidden one is refused now and
   * not at each delivery.
   */
  private async vet(url: string): Promise<string> {
    try {
      return await this.egress.vet('webhooks', url);
    } catch (error) {
      if (error instanceof EgressRefusedError) throw BadRequestError.field('url', error.message);
      throw error;
    }
  }

  private async remember(
    em: EntityManager,
    actor: Actor,
    verb: string,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    const action = `webhook.${verb}`;
    await this.audit.append(em, actor, { action, resourceType: 'webhook', resourceId, before, after });
  }
}

/** @throws WebhookNotFoundError */
export async function findWebhook(em: EntityManager, orgId: string, id: string): Promise<Webhook> {
  const webhook = await em.findOne(Webhook, { orgId, id });
  if (!webhook) throw new WebhookNotFoundError(id);
  return webhook;
}

function check(draft: Partial<WebhookDraft>): void {
  const faults = draftFaults(draft);
  if (faults.length > 0) throw BadRequestError.fields(faults);
}

/** The audit log's representation of a webhook. It contains the version of the secret, but never the secret. */
function auditedWebhook(webhook: Webhook): JsonObject {
  return {
    url: webhook.url,
    events: [...webhook.subscribedEvents],
    all_events: webhook.events === null,
    description: webhook.description,
    enabled: webhook.enabled,
    secret_version: webhook.secretVersion,
    previous_secret_until: webhook.previousSecretUntil?.toISOString() ?? null,
  };
}
