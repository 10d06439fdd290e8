import type { ShownHealth } from '../health/webhook-health.js';
import type { Webhook } from '../registrations/webhook.entity.js';
import type { StartedRecovery } from '../retry/recovery.service.js';
import type { WebhookWithSecretResponseDto, RecoveryResponseDto, WebhookResponseDto } from './webhook.dto.js';

/** A webhook as the API shows it, without its secret. */
export function presentWebhook(webhook: Webhook, health: ShownHealth, now: Date): WebhookResponseDto {
  return {
    id: webhook.id,
    org_id: webhook.orgId,
    url: webhook.url,
    events: [...webhook.subscribedEvents],
    all_events: webhook.events === null,
    description: webhook.description,
    enabled: webhook.enabled,
    previous_secret_until: webhook.overlapEnd(now)?.toISOString() ?? null,
    health,
    created_at: webhook.createdAt.toISOString(),
    updated_at: webhook.updatedAt.toISOString(),
  };
}

/** A webhook with the secret that is shown this once. */
export function presentWithSecret(
  webhook: Webhook,
  signingSecret: string,
  health: ShownHealth,
  now: Date,
): WebhookWithSecretResponseDto {
  return Object.assign(presentWebhook(webhook, health, now), { signing_secret: signingSecret });
}

/** A recovery as the API shows it. */
export function presentRecovery({ webhookId, since, until, deliveries }: StartedRecovery): RecoveryResponseDto {
  return { webhook_id: webhookId, since: since.toISOString(), until: until.toISOString(), deliveries };
}
