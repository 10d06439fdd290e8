import type { JsonObject } from '#core';
import type { Webhook } from './webhook.entity.js';

/** A webhook as the audit log remembers it: which secret it was, and never the secret. */
export function auditedWebhook(webhook: Webhook): JsonObject {
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
