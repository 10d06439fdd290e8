import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessModule, OrganizationService } from '#access';
import { AnomaliesModule } from '#anomalies';
import { CallLedger, CALLS_OPTIONS, CallsModule, GovernedCalls, LiveCalls, OpenPasses } from '#calls';
import {
  Clock,
  DeviceDirectory,
  PricingCatalog,
  SpendGuard,
  SystemClock,
  UserDirectory,
  type DeviceStatus,
} from '#core';
import { DashboardModule } from '#dashboard';
import { OrgDatabase, tokenOf, type LibraryModule } from '#database';
import { Governance, GovernanceHealth, GovernanceOperations, UsageImporter } from '#governance';
import { GatewayModule } from '#gateway';
import { ConfigurationModule } from '#configuration';
import { IncidentsModule } from '#incidents';
import { IntegrationsModule } from '#integrations';
import { ItsmModule } from '#itsm';
import { EventListeners, OutboxModule } from '#outbox';
import { PolicyModule } from '#policy';
import { PolicyMemory, policyInMemory } from '#policy/in-memory';
import { SiemModule } from '#siem';
import { GenaiPricesCatalog, ReservationExtension, UsageModule } from '#usage';
import { UsageMemory, usageInMemory } from '#usage/in-memory';
import { DevicesModule, UsersModule } from '#users';
import { WebhooksModule } from '#webhooks';
import { CallsInMemory } from './calls-in-memory.js';
import { GovernanceMemory } from './governance-memory.js';
import { MemoryStore } from './memory-store.js';
import { PeopleInMemory } from './people-in-memory.js';
import { checkTestingOptions, type GovernanceTestingOptions } from './testing-options.js';
import { standIn, withoutDatabase } from './without-database.js';

/** A spend guard without limits. */
class Unlimited extends SpendGuard {
  override reserve(): undefined {
    return undefined;
  }

  override async reserveWithin(): Promise<undefined> {
    return undefined;
  }

  override async release(): Promise<bigint> {
    return 0n;
  }
}

/** Treats every device as enrolled. */
class AllDevices extends DeviceDirectory {
  override statusOf(): DeviceStatus {
    return 'active';
  }
}

const LIBRARIES: readonly LibraryModule[] = [
  ...[OutboxModule, IncidentsModule, AccessModule, ConfigurationModule],
  ...[
    PolicyModule,
    UsageModule,
    CallsModule,
    GatewayModule,
    IntegrationsModule,
    UsersModule,
    DevicesModule,
    ItsmModule,
    AnomaliesModule,
    WebhooksModule,
    SiemModule,
    DashboardModule,
  ],
];

/**
 * Replaces `GovernanceModule` in tests of a host, without PostgreSQL and without routes. The code of the real module
 * decides and prices, with policies and people in memory. {@link GovernanceMemory} has what was recorded. Services that
 * need the database throw an error that says so.
 */
@Module({})
export class GovernanceTestingModule {
  /**
   * Add it to the `imports` of a test, with the modules under test. It is global.
   * @throws Error with every invalid option
   */
  static forRoot(options: GovernanceTestingOptions = {}): DynamicModule {
    checkTestingOptions(options);
    const working: Provider[] = [
      Governance,
      { provide: Clock, useValue: options.clock ?? new SystemClock() },
      { provide: UserDirectory, useFactory: () => options.userDirectory ?? new PeopleInMemory(options.people) },
      { provide: DeviceDirectory, useClass: AllDevices },
      { provide: PricingCatalog, useFactory: () => options.pricingCatalog ?? new GenaiPricesCatalog() },
      { provide: SpendGuard, useValue: options.spendGuard ?? new Unlimited() },
      ...policyInMemory(options.decisions ?? {}, options.conditionOperators ?? []),
      ...usageInMemory(options.prices ?? []),
      ReservationExtension,
      ...[GovernedCalls, LiveCalls, OpenPasses],
      { provide: CALLS_OPTIONS, useValue: {} },
      { provide: CallLedger, useClass: CallsInMemory },
      {
        provide: OrganizationService,
        inject: [MemoryStore],
        useFactory: (store: MemoryStore) => standIn(OrganizationService, organizationsOf(store)),
      },
      EventListeners,
      {
        provide: MemoryStore,
        inject: [Clock],
        useFactory: (clock: Clock) => new MemoryStore(clock, options.organizations),
      },
      { provide: PolicyMemory, useExisting: MemoryStore },
      { provide: UsageMemory, useExisting: MemoryStore },
      GovernanceMemory,
      {
        provide: POLICIES_OF_TEST,
        inject: [GovernanceMemory],
        useFactory: (memory: GovernanceMemory) => memory.setPolicies(options.policies ?? []),
      },
    ];
    const there = new Set(working.map(tokenOf));
    const others = [
      ...LIBRARIES.flatMap(({ library }) => library.exports),
      ...[GovernanceOperations, GovernanceHealth, UsageImporter],
    ].filter(service => !there.has(service));
    // Services that work in a host's transaction inject `OrgDatabase`, so it has a stand-in, too.
    const providers = [...working, ...[...others, OrgDatabase].map(service => withoutDatabase(service))];
    return {
      module: GovernanceTestingModule,
      global: true,
      imports: [DiscoveryModule],
      providers,
      exports: [...there, ...others],
    };
  }
}

/** Sets the initial policies when the module is created. */
const POLICIES_OF_TEST = Symbol('governance.policies-of-test');

/** The organizations of the store. */
function organizationsOf(store: MemoryStore): Pick<OrganizationService, 'exists'> & { ensure: unknown } {
  return {
    exists: async id => store.hasOrganization(id),
    ensure: async (_name: string, { id }: { id: string }) => ({ created: store.addOrganization(id) }),
  };
}
