import { presenterOf } from '#access';
import type { ShownHealth } from '../health/webhook-health.js';
import type { Webhook } from '../registrations/webhook.entity.js';
import { RecoveryResponseDto, WebhookResponseDto, type WebhookWithSecretResponseDto } from './webhook.dto.js';

/** A webhook as the API shows it. The secret is left out. */
export const presentWebhook = presenterOf(WebhookResponseDto, (webhook: Webhook, health: ShownHealth, now: Date) => ({
  events: [...webhook.subscribedEvents],
  all_events: webhook.events === null,
  previous_secret_until: webhook.overlapEnd(now)?.toISOString() ?? null,
  health,
}));

/** A webhook with its new secret, which is shown once. */
export function presentWithSecret(
  webhook: Webhook,
  signingSecret: string,
  health: ShownHealth,
  now: Date,
): WebhookWithSecretResponseDto {
  return Object.assign(presentWebhook(webhook, health, now), { signing_secret: signingSecret });
}

/** A recovery as the API shows it. */
export const presentRecovery = presenterOf(RecoveryResponseDto);
