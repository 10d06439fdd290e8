import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { AccessModule, OrganizationService } from '#access';
import { CallsModule } from '#calls';
import {
  Clock,
  DeviceDirectory,
  PricingCatalog,
  SpendGuard,
  SystemClock,
  UserDirectory,
  type DeviceStatus,
} from '#core';
import { OrgDatabase, tokenOf, type LibraryModule } from '#database';
import { Governance, GovernanceHealth, GovernanceOperations, UsageImporter } from '#governance';
import { IncidentsModule } from '#incidents';
import { ItsmModule } from '#itsm';
import { EventListeners, OutboxModule } from '#outbox';
import { PolicyModule, type ConditionOperator, type PolicyOptions } from '#policy';
import { PolicyMemory, policyInMemory } from '#policy/in-memory';
import { GenaiPricesCatalog, UsageModule, type PriceOverride } from '#usage';
import { UsageMemory, usageInMemory } from '#usage/in-memory';
import { DevicesModule, UsersModule } from '#users';
import { WebhooksModule } from '#webhooks';
import { GovernanceMemory, type TestPolicy } from './governance-memory.js';
import { MemoryStore } from './memory-store.js';
import { PeopleInMemory, type TestPerson } from './people-in-memory.js';
import { withoutDatabase } from './without-database.js';

/** What a test gives. Everything has a default. */
export interface GovernanceTestingOptions {
  /** The people whom decisions and usage know. Default: everybody who is named, as an active member. */
  people?: readonly TestPerson[];
  /** The policies; `setPolicies` changes them. Default: none. */
  policies?: readonly TestPolicy[];
  /** Prices on top of the catalogue. Default: none. */
  prices?: readonly PriceOverride[];
  /** How decisions treat what no policy and no person settles, as in `forRoot`. */
  decisions?: PolicyOptions;
  /** The host's own operators, as instances. Default: none. */
  conditionOperators?: readonly ConditionOperator[];
  /** The host's own directory in place of `people`. */
  userDirectory?: UserDirectory;
  /** The host's own catalogue. Default: genai-prices. */
  pricingCatalog?: PricingCatalog;
  /** The host's own guard. Default: nothing is limited. */
  spendGuard?: SpendGuard;
  /** Default: the machine's clock. */
  clock?: Clock;
}

/** No limit guards a request. */
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

/** Every device is enrolled. */
class AllDevices extends DeviceDirectory {
  override statusOf(): DeviceStatus {
    return 'active';
  }
}

const LIBRARIES: readonly LibraryModule[] = [
  ...[OutboxModule, IncidentsModule, AccessModule],
  ...[PolicyModule, UsageModule, CallsModule, UsersModule, DevicesModule, ItsmModule, WebhooksModule],
];

/**
 * Stands in the place of `GovernanceModule` in tests of a host, without PostgreSQL and without routes. Decisions are made
 * and usage is priced by the code of the real module, over policies and people in memory; {@link GovernanceMemory} has
 * what was recorded. A service whose work is in the database throws, and says so.
 */
@Module({})
export class GovernanceTestingModule {
  /** For the `imports` of a test, beside the modules that are tested. All of them see its services. */
  static forRoot(options: GovernanceTestingOptions = {}): DynamicModule {
    const working: Provider[] = [
      Governance,
      { provide: Clock, useValue: options.clock ?? new SystemClock() },
      { provide: UserDirectory, useFactory: () => options.userDirectory ?? new PeopleInMemory(options.people) },
      { provide: DeviceDirectory, useClass: AllDevices },
      { provide: PricingCatalog, useFactory: () => options.pricingCatalog ?? new GenaiPricesCatalog() },
      { provide: SpendGuard, useValue: options.spendGuard ?? new Unlimited() },
      ...policyInMemory(options.decisions ?? {}, options.conditionOperators ?? []),
      ...usageInMemory(options.prices ?? []),
      withoutDatabase(OrganizationService, organizationsInMemory()),
      EventListeners,
      MemoryStore,
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
    // Services that work in a host's transaction inject it.
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

/** Gives the memory its first policies when the module is made. */
const POLICIES_OF_TEST = Symbol('governance.policies-of-test');

/** Organizations that tests make. Calls for one that was not made are not refused: there is nothing to make it in. */
function organizationsInMemory(): Pick<OrganizationService, 'exists'> & { ensure: unknown } {
  const made = new Set<string>();
  return {
    exists: id => Promise.resolve(made.has(id)),
    ensure: (_name: string, { id }: { id: string }) => Promise.resolve({ created: made.size < made.add(id).size }),
  };
}
