import { Injectable, Logger } from '@nestjs/common';
import { messageOf, SecretUnreadableError } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory } from '#database';
import { EgressClient, type JudgedTarget } from '#egress';
import type { WireKind } from '#wire';
import { GatewayProvider } from './provider.entity.js';
import { labelOf, versionPrefixOf, wireOf } from './provider-kind.js';
import { ProviderKeys } from './provider-keys.js';
import { PROVIDERS_TOPIC } from './providers.topic.js';

/** The provider data that a call needs. */
export interface CallableProvider {
  readonly name: string;
  readonly wire: WireKind;
  /** `required` if all paths of the provider begin with `/v1`. */
  readonly versions: 'required' | 'optional';
  /** Name of the provider in decisions and usage. */
  readonly label: string;
  readonly active: boolean;
  readonly way: Way | Obstacle;
}

/** URL and credential for calls to a provider. */
export interface Way {
  readonly target: JudgedTarget;
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string;
  /** Name and value of the header with the provider's key; empty if the provider has no key. */
  readonly credential: readonly string[];
}

/** The reason why a provider cannot be called. An administrator must fix it. */
export interface Obstacle {
  readonly problem: string;
}

/**
 * Cache of providers with their keys, by organization and name. Loaded on first use, and reloaded when the change feed
 * reports a change. A call therefore needs no query.
 */
@Injectable()
export class CallableProviders extends OrgMemory<ReadonlyMap<string, CallableProvider>> {
  constructor(database: OrgDatabase, changes: ChangeFeed, keys: ProviderKeys, egress: EgressClient) {
    const logger = new Logger('Governance');
    super(changes, [PROVIDERS_TOPIC], orgId =>
      database.snapshot(orgId, async em => {
        const providers = await em.find(GatewayProvider, { orgId });
        const found = await keys.of(em, providers);
        const callable = providers.map((provider, at) => callableOf(provider, found[at], egress));
        for (const { name, way } of callable) {
          if ('problem' in way) logger.error(`Provider ${name} of ${orgId} cannot be called: ${way.problem}`);
        }
        return new Map(callable.map(provider => [provider.name, provider]));
      }),
    );
  }
}

function callableOf(
  provider: GatewayProvider,
  key: string | undefined | SecretUnreadableError,
  egress: EgressClient,
): CallableProvider {
  const { name, active } = provider;
  return {
    name,
    active,
    wire: wireOf(provider.kind),
    versions: versionPrefixOf(provider.kind),
    label: labelOf(provider),
    way: wayTo(provider, key, egress),
  };
}

function wayTo(
  { kind, baseUrl }: GatewayProvider,
  key: string | undefined | SecretUnreadableError,
  egress: EgressClient,
): Way | Obstacle {
  if (key instanceof SecretUnreadableError) return { problem: 'its key cannot be read; enter it again' };
  try {
    const target = egress.judge('gateway', baseUrl);
    return { target, basePath: target.path.replace(/\/+$/, ''), credential: key ? credentialOf(kind, key) : [] };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function credentialOf(kind: GatewayProvider['kind'], key: string): string[] {
  return kind === 'anthropic' ? ['x-api-key', key] : ['authorization', `Bearer ${key}`];
}
