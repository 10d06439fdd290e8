// Webhooks: registrations, deliveries, signatures.

// Wire it
export { WEBHOOKS_OPTIONS, type WebhooksOptions } from './webhooks.options.js';
export { webhooksFeature } from './webhooks.feature.js';
