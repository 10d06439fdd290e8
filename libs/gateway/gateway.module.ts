import { Module } from '@nestjs/common';
import { GovernedCalls } from '#calls';
import type { Library } from '#database';
import { ProvidersController } from './http/providers.controller.js';
import { GatewayMigration0750 } from './migrations/0750-gateway.migration.js';
import { CallableProviders } from './providers/callable-providers.js';
import { ProviderKeys } from './providers/provider-keys.js';
import { ProviderListService } from './providers/provider-list.service.js';
import { GatewayProvider } from './providers/provider.entity.js';
import { ProviderService } from './providers/provider.service.js';
import { GatewayController } from './proxy/gateway.controller.js';
import { GatewayService } from './proxy/gateway.service.js';

/** Proxy to LLM providers, for any SDK. It governs and meters calls, and stores the providers' keys. */
@Module({})
export class GatewayModule {
  static readonly library: Library = {
    name: 'gateway',
    providers: [ProviderKeys, ProviderService, ProviderListService, CallableProviders, GatewayService],
    requires: [GovernedCalls],
    // Express matches routes in this order. The most frequently used controller therefore comes first.
    controllers: [GatewayController, ProvidersController],
    entities: [GatewayProvider],
    migrations: [{ name: '0750_gateway', class: GatewayMigration0750, tables: ['gateway_providers'] }],
    exports: [ProviderService, ProviderListService],
  };
}
