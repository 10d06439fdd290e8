import { Injectable } from '@nestjs/common';
import type { Actor } from '#access';
import {
  ConfigurationKind,
  ConfigurationKinds,
  type ConfigurationObject,
  type ShownOnce,
  type WantedObject,
} from '#configuration';
import { BadRequestError, type JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { EgressClient, EgressRefusedError } from '#egress';
import { readWebhookBody, RegisterWebhookDto } from '../http/webhook.dto.js';
import { Webhook } from '../registrations/webhook.entity.js';
import { WebhookService } from '../registrations/webhook.service.js';

/**
 * Webhooks in configuration files. The URL identifies a webhook. The signing secret is generated and never stated in a
 * file.
 */
@Injectable()
export class WebhookConfiguration extends ConfigurationKind {
  override readonly kind = 'webhooks';
  override readonly rank = 60;
  override readonly reads = ['webhooks:read'] as const;
  override readonly writes = 'webhooks:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly webhooks: WebhookService,
    private readonly egress: EgressClient,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const webhooks = await this.database.snapshot(orgId, em => em.find(Webhook, { orgId }));
    return webhooks.map(webhook => ({ id: webhook.id, name: webhook.url, fields: fieldsOf(webhook) }));
  }

  override async read(orgId: string, entry: unknown): Promise<WantedObject> {
    const draft = readWebhookBody(RegisterWebhookDto, entry);
    // Webhooks are looked up by the normalized URL, as it is stored.
    draft.url = await this.vet(draft.url);
    const webhook = Webhook.register(orgId, '', draft, new Date(0));
    return { name: webhook.url, fields: fieldsOf(webhook) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<ShownOnce> {
    const { signingSecret } = await this.webhooks.register(actor, readWebhookBody(RegisterWebhookDto, fields));
    return { signing_secret: signingSecret };
  }

  override async update(actor: Actor, id: string, { fields }: WantedObject): Promise<void> {
    await this.webhooks.change(actor, id, readWebhookBody(RegisterWebhookDto, fields));
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.webhooks.delete(actor, id);
  }

  private async vet(url: string): Promise<string> {
    try {
      return await this.egress.vet('webhooks', url);
    } catch (error) {
      if (error instanceof EgressRefusedError) throw BadRequestError.field('url', error.message);
      throw error;
    }
  }
}

function fieldsOf({ url, events, description, enabled }: Webhook): JsonObject {
  // The types are sorted, because their order has no meaning.
  return { url, events: events?.toSorted() ?? null, description, enabled };
}
