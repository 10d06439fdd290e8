import type { Provider, Type } from '@nestjs/common';
import { BearerPrincipalResolver, PrincipalResolver, PrincipalResolvers, SecurityEvents } from '#access';
import { Clock, DeviceDirectory, PricingCatalog, SecretCipher, SpendGuard, UserDirectory } from '#core';
import { DashboardModule, dashboardParts } from '#dashboard';
import type { LibraryModule } from '#database';
import { GatewayModule } from '#gateway';
import { CHAT_ADAPTERS, ITSM_ADAPTERS, ItsmModule, JiraAdapter, ServiceNowAdapter, SlackCommandAdapter } from '#itsm';
import type { ChatCommandAdapter, ItsmAdapter } from '#itsm';
import { CONDITION_OPERATORS, PolicyModule, type ConditionOperator } from '#policy';
import type { GovernanceStructure } from '../governance.options.js';
import { gatewayRoutes, openRoutes } from '../open-routes.js';
import { providedAs, providedTogether, type Implementation } from './implementation.js';

/** The ports that the host implements. */
export function hostPorts(structure: GovernanceStructure): Provider[] {
  const { clock, userDirectory, deviceDirectory, pricingCatalog, spendGuard, secretCipher, securityEvents } = structure;
  return [
    ...(clock ? [providedAs(Clock, clock)] : []),
    ...(userDirectory ? [providedAs(UserDirectory, userDirectory)] : []),
    ...(deviceDirectory ? [providedAs(DeviceDirectory, deviceDirectory)] : []),
    ...(pricingCatalog ? [providedAs(PricingCatalog, pricingCatalog)] : []),
    ...(spendGuard ? [providedAs(SpendGuard, spendGuard)] : []),
    ...(secretCipher ? [providedAs(SecretCipher, secretCipher)] : []),
    ...(securityEvents ? [providedAs(SecurityEvents, securityEvents)] : []),
    ...principalResolvers(structure),
  ];
}

/** Whether our own tokens open routes; a host may have put resolvers of its own in their place. */
export function takesTokens({ principalResolver }: GovernanceStructure): boolean {
  if (principalResolver === undefined) return true;
  return Array.isArray(principalResolver)
    ? principalResolver.includes(BearerPrincipalResolver)
    : principalResolver === BearerPrincipalResolver;
}

function principalResolvers({ principalResolver: given }: GovernanceStructure): Provider[] {
  if (given === undefined) return [];
  if (!isList(given)) return [providedAs(PrincipalResolver, given)];
  const resolvers = Symbol('governance.principal-resolvers');
  return [
    ...providedTogether<PrincipalResolver>(resolvers, given),
    {
      provide: PrincipalResolver,
      inject: [resolvers],
      useFactory: (all: readonly PrincipalResolver[]) => new PrincipalResolvers(all),
    },
  ];
}

function isList(
  given: NonNullable<GovernanceStructure['principalResolver']>,
): given is readonly Implementation<PrincipalResolver>[] {
  return Array.isArray(given);
}

/** Platforms that need nothing to be installed. */
const BUILT_IN_ADAPTERS: readonly Implementation<ItsmAdapter>[] = [ServiceNowAdapter, JiraAdapter];

/** Chat platforms that need nothing to be installed. */
const BUILT_IN_CHATS: readonly Implementation<ChatCommandAdapter>[] = [SlackCommandAdapter];

/** What the host adds to a library. */
export function hostProviders(module: LibraryModule, structure: GovernanceStructure): Provider[] {
  if (module === PolicyModule) {
    return providedTogether<ConditionOperator>(CONDITION_OPERATORS, structure.conditionOperators ?? []);
  }
  if (module === GatewayModule) return structure.controllers === false ? [] : [gatewayRoutes(structure.path)];
  if (module === DashboardModule) {
    return structure.controllers === false ? [] : dashboardParts(structure.dashboard).providers;
  }
  if (module !== ItsmModule) return [];
  return [
    ...providedTogether<ItsmAdapter>(ITSM_ADAPTERS, [...BUILT_IN_ADAPTERS, ...(structure.itsmAdapters ?? [])]),
    ...providedTogether<ChatCommandAdapter>(CHAT_ADAPTERS, [...BUILT_IN_CHATS, ...(structure.chatAdapters ?? [])]),
    ...(structure.controllers === false ? [] : [openRoutes(structure.path)]),
  ];
}

/** Routes that a library has only where the host asks for them. */
export function hostControllers(module: LibraryModule, { dashboard }: GovernanceStructure): Type<unknown>[] {
  return module === DashboardModule ? dashboardParts(dashboard).controllers : [];
}
