import type { Feature } from '#database';
import { deliveryProviders } from './delivery/delivery.providers.js';
import { WebhooksMigration0600 } from './migrations/0600-webhooks.migration.js';
import { Webhook } from './registrations/webhook.entity.js';

/** The webhooks library's part of the module. */
export const webhooksFeature: Feature = {
  providers: [...deliveryProviders],
  controllers: [],
  entities: [Webhook],
  migrations: [{ name: '0600_webhooks', class: WebhooksMigration0600 }],
};
