// Webhooks and their deliveries.
export { WEBHOOKS_OPTIONS, WEBHOOKS_RULES, type WebhooksOptions } from './webhooks.options.js';
export { WebhooksModule } from './webhooks.module.js';

// Manage webhooks
export { WebhookService, type WebhookWithSecret } from './registrations/webhook.service.js';
export { WebhookListService } from './health/webhook-list.service.js';
export { Webhook } from './registrations/webhook.entity.js';
export {
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOK_EVENTS_MAX,
  WEBHOOK_URL_MAX,
  type WebhookDraft,
} from './registrations/webhook-rules.js';
export {
  TooManyWebhooksError,
  WebhookNotFoundError,
  WebhookPausedError,
  WEBHOOKS_MAX,
} from './registrations/webhook.errors.js';

// Read deliveries
export { DeliveryLog, type DeliveryListQuery } from './log/delivery-log.js';
export {
  DELIVERY_STATUSES,
  DeliveryNotFoundError,
  type DeliveryStatus,
  type ShownAttempt,
  type ShownDelivery,
} from './log/delivery.js';
export { HEALTH_STATES, WebhookHealth, type ShownHealth } from './health/webhook-health.js';

// Retry and test
export { DELIVERY_ATTEMPTS_MAX, DeliveryNotRetriableError, DeliveryRetry } from './retry/delivery-retry.js';
export { RecoveryService, type StartedRecovery } from './retry/recovery.service.js';
export { PingService, PINGS_PER_MINUTE, TooManyPingsError } from './ping/ping.service.js';
