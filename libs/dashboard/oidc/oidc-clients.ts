import { Injectable } from '@nestjs/common';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ClientAuth,
  type ServerMetadata,
} from 'openid-client';
import { Clock } from '#core';
import { OidcRefusal } from '../accounts/oidc-refusal.js';
import type { OidcProvider } from '../accounts/oidc-provider.js';

/** Timeout of each response of a provider, in seconds. */
const TIMEOUT_SECONDS = 10;
/** Time in milliseconds after which the metadata of a provider are read again. */
const KEPT_MS = 60 * 60_000;
// The library requires exactly this function among the steps of a discovery.
// oxlint-disable-next-line typescript/no-deprecated -- The library marks it as deprecated only to warn of its risk.
const ALLOW_PLAIN: (client: Configuration) => void = allowInsecureRequests;
const DEFAULT_TOLERANCE_SECONDS = 30;

interface Discovered {
  readonly server: ServerMetadata;
  readonly at: number;
}

/**
 * Creates clients for requests to providers. The metadata of a provider are read at the first sign-in, and once an
 * hour. The app therefore boots and runs while a provider is unavailable.
 */
@Injectable()
export class OidcClients {
  private readonly discovered = new Map<string, Discovered>();
  private readonly underWay = new Map<string, Promise<ServerMetadata>>();

  constructor(private readonly clock: Clock) {}

  /**
   * A client of the provider. It checks signatures of ID tokens, and takes the time from the {@link Clock}.
   * @throws TypeError or ClientError of the library while the provider is unavailable
   */
  async of(provider: OidcProvider): Promise<Configuration> {
    const server = await this.metadataOf(provider);
    const client = new Configuration(
      server,
      provider.clientId,
      {
        [clockSkew]: Math.round((this.clock.now().getTime() - Date.now()) / 1000),
        [clockTolerance]: provider.clockToleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS,
      },
      authenticationOf(provider, server),
    );
    client.timeout = TIMEOUT_SECONDS;
    if (isPlain(provider)) ALLOW_PLAIN(client);
    enableNonRepudiationChecks(client);
    return client;
  }

  private async metadataOf(provider: OidcProvider): Promise<ServerMetadata> {
    const known = this.discovered.get(provider.id);
    const now = this.clock.now().getTime();
    if (known && now - known.at < KEPT_MS) return known.server;
    try {
      return await this.discover(provider, now);
    } catch (error) {
      // The URLs of a provider hardly ever change, so outdated metadata are used during an outage.
      if (known) return known.server;
      throw error;
    }
  }

  /** Concurrent sign-ins share one request for the metadata. */
  private discover(provider: OidcProvider, at: number): Promise<ServerMetadata> {
    const running = this.underWay.get(provider.id);
    if (running) return running;
    const found = readMetadata(provider)
      .then(server => {
        this.discovered.set(provider.id, { server, at });
        return server;
      })
      .finally(() => this.underWay.delete(provider.id));
    this.underWay.set(provider.id, found);
    return found;
  }
}

/** Whether a provider is called without TLS. The rule of the option permits this only on this machine. */
function isPlain({ issuer }: OidcProvider): boolean {
  return issuer.startsWith('http:');
}

async function readMetadata(provider: OidcProvider): Promise<ServerMetadata> {
  const { issuer, clientId } = provider;
  const execute = isPlain(provider) ? [ALLOW_PLAIN] : [];
  const client = await discovery(new URL(issuer), clientId, undefined, None(), { execute, timeout: TIMEOUT_SECONDS });
  const server = client.serverMetadata();
  // The library accepts an issuer template, which covers all tenants of a provider. Only the configured issuer is
  // allowed.
  if (server.issuer !== issuer) {
    throw new OidcRefusal('invalid', `The issuer of the metadata is not ${issuer}; name that of one tenant.`);
  }
  return server;
}

/**
 * Sends the secret in the body if the provider supports that, because not all providers decode the header as RFC 6749
 * requires. If a provider does not list its methods, the secret is sent in the header (OpenID Connect Discovery).
 */
function authenticationOf({ clientSecret }: OidcProvider, server: ServerMetadata): ClientAuth {
  if (clientSecret === undefined) return None();
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_post') ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret);
}
