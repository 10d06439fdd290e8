import { Module } from '@nestjs/common';
import type { Library } from '#database';
import { AuditAnchors } from './anchors/audit-anchors.js';
import { WebhookConfiguration } from './configuration/webhook-configuration.js';
import { TokenExpiryWarnings } from './expiry/token-expiry-warnings.js';
import { deliveryProviders } from './delivery/delivery.providers.js';
import { DeliveriesController } from './http/deliveries.controller.js';
import { EventTypesController } from './http/event-types.controller.js';
import { WebhookHealthController } from './http/health.controller.js';
import { WebhooksController } from './http/webhooks.controller.js';
import { DeliveryExchanges } from './log/delivery-exchange.js';
import { DeliveryLog } from './log/delivery-log.js';
import { DeliveryTimeline } from './log/delivery-timeline.js';
import { HourlyHealth } from './health/hourly-health.js';
import { WebhookHealth } from './health/webhook-health.js';
import { WebhooksMigration0600 } from './migrations/0600-webhooks.migration.js';
import { PingService } from './ping/ping.service.js';
import { WebhookResources } from './registrations/webhook-resources.js';
import { Webhook } from './registrations/webhook.entity.js';
import { WebhookListService } from './health/webhook-list.service.js';
import { WebhookService } from './registrations/webhook.service.js';
import { DeliveryRetry } from './retry/delivery-retry.js';
import { PERSONAL_TABLES } from './personal-tables.js';
import { RecoveryJob } from './retry/recovery.job.js';
import { RecoveryService } from './retry/recovery.service.js';
import { WebhooksOverview } from './health/webhooks-overview.js';
import { AllDeliveriesController } from './http/all-deliveries.controller.js';

/** Nest module for webhooks: registrations, signed deliveries, and the delivery log. */
@Module({})
export class WebhooksModule {
  static readonly library: Library = {
    name: 'webhooks',
    providers: [
      WebhookService,
      WebhookResources,
      WebhookListService,
      WebhookHealth,
      HourlyHealth,
      WebhooksOverview,
      DeliveryLog,
      DeliveryExchanges,
      DeliveryTimeline,
      DeliveryRetry,
      RecoveryService,
      RecoveryJob,
      PingService,
      AuditAnchors,
      WebhookConfiguration,
      TokenExpiryWarnings,
      ...deliveryProviders,
    ],
    controllers: [
      WebhookHealthController,
      WebhooksController,
      DeliveriesController,
      AllDeliveriesController,
      EventTypesController,
    ],
    entities: [Webhook],
    migrations: [
      {
        name: '0600_webhooks',
        class: WebhooksMigration0600,
        tables: ['webhook_attempts', 'webhook_deliveries', 'webhook_hours', 'webhooks'],
      },
    ],
    personal: PERSONAL_TABLES,
    exports: [WebhookService, WebhookListService, DeliveryRetry, RecoveryService, PingService, DeliveryLog],
  };
}
