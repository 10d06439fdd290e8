import type { InjectionToken, Provider, Type } from '@nestjs/common';
import { BearerPrincipalResolver, PrincipalResolver, PrincipalResolvers, SecurityEvents } from '#access';
import { Clock, DeviceDirectory, PricingCatalog, SecretCipher, SpendGuard, UserDirectory } from '#core';
import { DashboardModule, dashboardParts } from '#dashboard';
import type { LibraryModule } from '#database';
import { GatewayModule } from '#gateway';
import { IntegrationsModule } from '#integrations';
import { CHAT_ADAPTERS, ITSM_ADAPTERS, ItsmModule, JiraAdapter, ServiceNowAdapter, SlackCommandAdapter } from '#itsm';
import { AzureDevOpsAdapter, GitLabAdapter, JiraDataCenterAdapter, PagerDutyAdapter, TeamsAdapter } from '#itsm';
import type { ChatCommandAdapter, ItsmAdapter } from '#itsm';
import { CONDITION_OPERATORS, PolicyModule, type ConditionOperator } from '#policy';
import { AuditSink } from '#siem';
import { refuse } from '../check-options.js';
import { GOVERNANCE_OPTIONS, type GovernanceOptions, type GovernanceStructure } from '../governance.options.js';
import { gatewayRoutes, openRoutes, telemetryRoutes } from '../open-routes.js';
import { providedAs, providedTogether, type Implementation } from './implementation.js';
import { faultsOfPart, type PartName } from './part-methods.js';

/** The ports that a host may implement, with the option for each. */
const PORTS = {
  ...{ clock: Clock, userDirectory: UserDirectory, deviceDirectory: DeviceDirectory, pricingCatalog: PricingCatalog },
  ...{ spendGuard: SpendGuard, secretCipher: SecretCipher, securityEvents: SecurityEvents },
  auditSink: AuditSink,
} as const satisfies Partial<Record<PartName, InjectionToken>>;

// `Object.keys` of a constant returns exactly its keys.
const PORT_NAMES = Object.keys(PORTS) as (keyof typeof PORTS)[];

/** The ports that the host implements. */
export function hostPorts(structure: GovernanceStructure): Provider[] {
  const ports = PORT_NAMES.flatMap(name => {
    const given: Implementation<unknown> | undefined = structure[name];
    return given === undefined ? [] : [providedAs(PORTS[name], given)];
  });
  return [...ports, ...principalResolvers(structure)];
}

/**
 * Aborts the boot if an implementation of a port lacks a method. Nothing depends on this provider, because an
 * implementation may itself need services of this package.
 */
export function hostPortsCheck(structure: GovernanceStructure): Provider {
  const given = PORT_NAMES.filter(name => structure[name] !== undefined);
  return {
    provide: Symbol('governance.host-ports-check'),
    inject: [...given.map(name => PORTS[name]), PrincipalResolver],
    useFactory: (...made: unknown[]): true => {
      const names: readonly PartName[] = [...given, 'principalResolver'];
      refuse(names.flatMap((name, at) => faultsOfPart(name, made[at])));
      return true;
    },
  };
}

/** Aborts the boot if both `auditSink` and options of `siem` are given, because the options would have no effect. */
export function auditSinkCheck({ auditSink }: GovernanceStructure): Provider {
  return {
    provide: Symbol('governance.audit-sink-check'),
    inject: [GOVERNANCE_OPTIONS],
    useFactory: ({ siem = {} }: GovernanceOptions): true => {
      const [first] = Object.entries(siem).flatMap(([name, value]) => (value === undefined ? [] : [name]));
      if (auditSink !== undefined && first !== undefined) {
        refuse([`auditSink: stands beside siem.${first}, which would have no effect; give auditSink or siem`]);
      }
      return true;
    },
  };
}

/** Whether access tokens are accepted. They are not if the host has replaced them with its own resolvers. */
export function takesTokens({ principalResolver: given }: GovernanceStructure): boolean {
  if (given === undefined) return true;
  return (isList(given) ? given : [given]).some(
    each =>
      each === BearerPrincipalResolver ||
      ('useClass' in each && each.useClass === BearerPrincipalResolver) ||
      ('useExisting' in each && each.useExisting === BearerPrincipalResolver) ||
      ('useValue' in each && each.useValue instanceof BearerPrincipalResolver),
  );
}

function principalResolvers({ principalResolver: given }: GovernanceStructure): Provider[] {
  if (given === undefined) return [];
  if (!isList(given)) return [providedAs(PrincipalResolver, given)];
  const resolvers = Symbol('governance.principal-resolvers');
  return [
    ...providedTogether<PrincipalResolver>(resolvers, given, assertParts('principalResolver')),
    {
      provide: PrincipalResolver,
      inject: [resolvers],
      useFactory: (all: readonly PrincipalResolver[]) => new PrincipalResolvers(all),
    },
  ];
}

/**
 * Aborts the boot if a part lacks a method. The first `builtIn` parts are those of this package; the option contains
 * the others.
 */
function assertParts(name: PartName, builtIn = 0): (made: readonly unknown[]) => void {
  return made => refuse(made.slice(builtIn).flatMap((each, at) => faultsOfPart(name, each, `${name}[${at}]`)));
}

function isList(
  given: NonNullable<GovernanceStructure['principalResolver']>,
): given is readonly Implementation<PrincipalResolver>[] {
  return Array.isArray(given);
}

/** Ticket platforms that need no additional package. */
const BUILT_IN_ADAPTERS: readonly Implementation<ItsmAdapter>[] = [
  ServiceNowAdapter,
  JiraAdapter,
  JiraDataCenterAdapter,
  GitLabAdapter,
  AzureDevOpsAdapter,
  PagerDutyAdapter,
];

/** Chat platforms that need no additional package. */
const BUILT_IN_CHATS: readonly Implementation<ChatCommandAdapter>[] = [SlackCommandAdapter, TeamsAdapter];

/** Additions of the host to a library. */
export function hostProviders(module: LibraryModule, structure: GovernanceStructure): Provider[] {
  if (module === PolicyModule) {
    const { conditionOperators = [] } = structure;
    return providedTogether<ConditionOperator>(
      CONDITION_OPERATORS,
      conditionOperators,
      assertParts('conditionOperators'),
    );
  }
  if (module === GatewayModule) return structure.controllers === false ? [] : [gatewayRoutes(structure.path)];
  if (module === IntegrationsModule) return structure.controllers === false ? [] : [telemetryRoutes(structure.path)];
  if (module === DashboardModule) {
    return structure.controllers === false ? [] : dashboardParts(structure.dashboard, structure.path).providers;
  }
  if (module !== ItsmModule) return [];
  return [
    ...providedTogether<ItsmAdapter>(
      ITSM_ADAPTERS,
      [...BUILT_IN_ADAPTERS, ...(structure.itsmAdapters ?? [])],
      assertParts('itsmAdapters', BUILT_IN_ADAPTERS.length),
    ),
    ...providedTogether<ChatCommandAdapter>(
      CHAT_ADAPTERS,
      [...BUILT_IN_CHATS, ...(structure.chatAdapters ?? [])],
      assertParts('chatAdapters', BUILT_IN_CHATS.length),
    ),
    ...(structure.controllers === false ? [] : [openRoutes(structure.path)]),
  ];
}

/** Routes that exist only if the host enables them. */
export function hostControllers(module: LibraryModule, { dashboard, path }: GovernanceStructure): Type<unknown>[] {
  return module === DashboardModule ? dashboardParts(dashboard, path).controllers : [];
}
