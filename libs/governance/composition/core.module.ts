import {
  Module,
  type DynamicModule,
  type InjectionToken,
  type ModuleMetadata,
  type Provider,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TokenController } from '#access';
import { Clock, LiveTopics, OverviewSections, SearchKinds, SystemClock } from '#core';
import { COMPOSITION, tokenOf, type LibraryModule } from '#database';
import { DashboardModule, dashboardPath } from '#dashboard';
import { DatabaseLifecycle } from '../database-lifecycle.js';
import type { GovernanceStructure } from '../governance.options.js';
import { GovernanceOperations } from '../governance-operations.js';
import { Doctor } from '../doctor/doctor.js';
import { GovernanceHealth } from '../health/governance-health.js';
import { HealthController } from '../health/health.controller.js';
import { DeletionMark } from '../deletion/deletion-mark.js';
import { OrganizationDeletion } from '../deletion/organization-deletion.js';
import { OrganizationControl } from '../organization-control.js';
import { Installation } from '../installation.js';
import { GovernanceLifecycle } from '../lifecycle.js';
import { DASHBOARD_PATH, optionProviders } from '../option-providers.js';
import { ABSENT_PORTS } from './absent-ports.js';
import { decorated } from './decorated.js';
import { auditSinkCheck, hostPortsCheck, takesTokens } from './host-parts.js';
import { compositionOf, CORE } from './libraries.js';

/**
 * The core on which every library depends: database, secrets, outbox, access and incidents. It is a global module,
 * because it also depends on ports that libraries implement. No public entry point exports its internal tokens.
 */
@Module({})
export class GovernanceCoreModule {}

/** Input of the core. */
export interface CoreParts {
  /** Provides the values of the options. */
  readonly options: { readonly providers: Provider[] };
  readonly libraries: readonly LibraryModule[];
  /** The Nest modules of the libraries. */
  readonly modules: DynamicModule[];
  /** Providers of the ports that the host implements. */
  readonly host: Provider[];
  /** The tokens of all ports that the host or a library implements. */
  readonly implemented: ReadonlySet<InjectionToken>;
  readonly imports: NonNullable<ModuleMetadata['imports']>;
}

/** The core of a composition. */
export function coreModule(structure: GovernanceStructure, parts: CoreParts): DynamicModule {
  const { options, libraries, modules, host, implemented, imports } = parts;
  const replaced = new Set(host.map(tokenOf));
  const core = CORE.map(({ library }) => library);
  const providers: Provider[] = [
    ...options.providers,
    { provide: COMPOSITION, useValue: compositionOf(libraries) },
    {
      provide: DASHBOARD_PATH,
      useValue: libraries.includes(DashboardModule) ? dashboardPath(structure.dashboard) : null,
    },
    ...optionProviders,
    { provide: OverviewSections, useFactory: () => new OverviewSections() },
    { provide: LiveTopics, useFactory: () => new LiveTopics() },
    { provide: SearchKinds, useFactory: () => new SearchKinds() },
    ...core.flatMap(library => library.providers),
    ...[{ provide: Clock, useClass: SystemClock }, ...core.flatMap(({ ports = [] }) => ports)].filter(
      port => !replaced.has(tokenOf(port)),
    ),
    ...ABSENT_PORTS.filter(port => !implemented.has(tokenOf(port))),
    ...host,
    hostPortsCheck(structure),
    auditSinkCheck(structure),
    Doctor,
    GovernanceHealth,
    GovernanceOperations,
    Installation,
    OrganizationControl,
    OrganizationDeletion,
    DeletionMark,
    DatabaseLifecycle,
    GovernanceLifecycle,
  ];
  return {
    module: GovernanceCoreModule,
    global: true,
    // The imports are needed for two reasons: Discovery finds the host's listeners, and the libraries implement ports.
    imports: [DiscoveryModule, ...imports, ...modules],
    controllers: decorated(controllersOf(structure), structure.routeDecorators),
    providers,
    exports: [...new Set(providers.map(tokenOf)), ...modules],
  };
}

function controllersOf(structure: GovernanceStructure): Type<unknown>[] {
  const ours = structure.controllers === false ? [] : CORE.flatMap(({ library }) => library.controllers);
  // A token is omitted if no option opens a route that needs it.
  const usable = ours.filter(controller => controller !== TokenController || takesTokens(structure));
  return structure.health ? [...usable, HealthController] : usable;
}
