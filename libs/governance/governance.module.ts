import { Module, type DynamicModule, type ModuleMetadata, type Provider, type Type } from '@nestjs/common';
import { DiscoveryModule, RouterModule } from '@nestjs/core';
import { PrincipalResolver } from '#access';
import { Clock, DeviceDirectory, PricingCatalog, SecretCipher, SpendGuard, SystemClock, UserDirectory } from '#core';
import {
  CHAT_ADAPTERS,
  ITSM_ADAPTERS,
  JiraAdapter,
  ServiceNowAdapter,
  SlackCommandAdapter,
  type ChatCommandAdapter,
  type ItsmAdapter,
} from '#itsm';
import { CONDITION_OPERATORS, type ConditionOperator } from '#policy';
import { FEATURES } from './features.js';
import {
  ConfigurableGovernanceModule,
  type ForRootAsyncOptions,
  type ForRootOptions,
  type GovernanceStructure,
} from './governance.options.js';
import { Doctor } from './doctor/doctor.js';
import { Governance } from './governance.js';
import { Installation } from './installation.js';
import { GovernanceHealth } from './health/governance-health.js';
import { UsageImporter } from './usage-import/usage-importer.js';
import { GovernanceOperations } from './governance-operations.js';
import { HealthController } from './health/health.controller.js';
import { DatabaseLifecycle } from './database-lifecycle.js';
import { GovernanceLifecycle } from './lifecycle.js';
import { openRoutes } from './open-routes.js';
import { optionProviders } from './option-providers.js';
import { PUBLIC_PROVIDERS } from './public-providers.js';

/**
 * Policies, usage, users and what follows from them, for any Nest application. It binds nothing globally: its guard,
 * pipe and error body hold for its own routes only, and it opens its own database connections beside the host's.
 */
@Module({})
export class GovernanceModule extends ConfigurableGovernanceModule {
  /** Values and structure at once. */
  static override forRoot(options: ForRootOptions): DynamicModule {
    return assemble(super.forRoot(options), options);
  }

  /** Values from a factory, class or existing provider; structure beside it. */
  static override forRootAsync(options: ForRootAsyncOptions): DynamicModule {
    return assemble(super.forRootAsync(options), options);
  }
}

function assemble(base: DynamicModule, structure: GovernanceStructure): DynamicModule {
  const controllers: ModuleMetadata['controllers'] = [
    ...(structure.controllers === false ? [] : FEATURES.flatMap(feature => feature.controllers)),
    ...(structure.health ? [HealthController] : []),
  ];
  return {
    ...base,
    global: structure.isGlobal ?? false,
    imports: [
      ...(base.imports ?? []),
      // Finds the host's listeners.
      DiscoveryModule,
      ...(structure.path ? [RouterModule.register([{ path: structure.path, module: GovernanceModule }])] : []),
    ],
    controllers,
    // Later providers of one token win: what the host gives replaces our own.
    providers: [
      ...(base.providers ?? []),
      ...optionProviders,
      { provide: Clock, useClass: SystemClock },
      ...FEATURES.flatMap(feature => feature.providers),
      ...replacements(structure),
      ...(structure.controllers === false ? [] : [openRoutes(structure.path)]),
      Governance,
      GovernanceHealth,
      Doctor,
      Installation,
      GovernanceOperations,
      UsageImporter,
      DatabaseLifecycle,
      GovernanceLifecycle,
    ],
    exports: [...PUBLIC_PROVIDERS],
  };
}

/** Platforms that need nothing to be installed. */
const BUILT_IN_ADAPTERS: readonly Type<ItsmAdapter>[] = [ServiceNowAdapter, JiraAdapter];

/** Chat platforms that need nothing to be installed. */
const BUILT_IN_CHATS: readonly Type<ChatCommandAdapter>[] = [SlackCommandAdapter];

function replacements(structure: GovernanceStructure): Provider[] {
  const operators = structure.conditionOperators ?? [];
  const adapters = [...BUILT_IN_ADAPTERS, ...(structure.itsmAdapters ?? [])];
  const chats = [...BUILT_IN_CHATS, ...(structure.chatAdapters ?? [])];
  const given: Provider[] = [
    ...chats,
    { provide: CHAT_ADAPTERS, useFactory: (...made: ChatCommandAdapter[]) => made, inject: chats },
    ...adapters,
    { provide: ITSM_ADAPTERS, useFactory: (...made: ItsmAdapter[]) => made, inject: adapters },
    ...operators,
    { provide: CONDITION_OPERATORS, useFactory: (...made: ConditionOperator[]) => made, inject: [...operators] },
  ];
  if (structure.clock) given.push({ provide: Clock, useClass: structure.clock });
  if (structure.principalResolver) given.push({ provide: PrincipalResolver, useClass: structure.principalResolver });
  if (structure.userDirectory) given.push({ provide: UserDirectory, useClass: structure.userDirectory });
  if (structure.deviceDirectory) given.push({ provide: DeviceDirectory, useClass: structure.deviceDirectory });
  if (structure.pricingCatalog) given.push({ provide: PricingCatalog, useClass: structure.pricingCatalog });
  if (structure.spendGuard) given.push({ provide: SpendGuard, useClass: structure.spendGuard });
  if (structure.secretCipher) given.push({ provide: SecretCipher, useClass: structure.secretCipher });
  return given;
}
