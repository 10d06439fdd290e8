// The gateway: providers, and calls to them by any SDK.
export { GatewayModule } from './gateway.module.js';
export { GATEWAY_OPTIONS, GATEWAY_RULES, type GatewayOptions } from './gateway.options.js';

// Set up providers
export { ProviderListService } from './providers/provider-list.service.js';
export { ProviderService, type ProviderSettings } from './providers/provider.service.js';
