import { Injectable } from '@nestjs/common';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { BegunSignIn } from './begun-sign-ins.js';
import { OidcClients } from './oidc-clients.js';
import { OidcPeople, type Claims, type OidcAccount } from '../accounts/oidc-people.js';
import type { OidcProvider } from '../accounts/oidc-provider.js';
import { OidcProviders } from '../accounts/oidc-providers.js';
import { OidcRefusal } from '../accounts/oidc-refusal.js';

/** Exchanges codes for identities at providers. The tokens are discarded after the call. */
@Injectable()
export class OidcAnswers {
  constructor(
    private readonly clients: OidcClients,
    private readonly providers: OidcProviders,
    private readonly people: OidcPeople,
  ) {}

  /**
   * Starts a sign-in. Returns the values that the provider's response must match, and the URL at the provider.
   * @throws errors of the library while the provider is unavailable
   */
  async begin(provider: OidcProvider, returnTo: URL): Promise<{ begun: BegunSignIn; url: URL }> {
    const client = await this.clients.of(provider);
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
    const url = buildAuthorizationUrl(client, {
      redirect_uri: this.providers.callback(provider.id).href,
      scope: provider.scopes ?? 'openid email profile',
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(provider.prompt === undefined ? {} : { prompt: provider.prompt }),
    });
    return { begun: { provider: provider.id, state, nonce, verifier, returnTo: returnTo.href }, url };
  }

  /**
   * Exchanges the code of a response for the account. Signature, issuer, audience, expiry, nonce and state are checked.
   * @param search the query of the response
   * @throws errors of the library, or OidcRefusal
   */
  async accountOf(provider: OidcProvider, search: string, begun: BegunSignIn): Promise<OidcAccount> {
    return this.people.accountOf(provider, await this.claimsOf(provider, search, begun));
  }

  private async claimsOf(provider: OidcProvider, search: string, begun: BegunSignIn): Promise<Claims> {
    const client = await this.clients.of(provider);
    const answer = this.providers.callback(provider.id);
    answer.search = search;
    const tokens = await authorizationCodeGrant(client, answer, {
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      pkceCodeVerifier: begun.verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    // If the metadata contain an issuer template, the library accepts the issuer of every tenant. Only the configured
    // issuer is allowed.
    if (claims?.iss !== provider.issuer) throw new OidcRefusal('invalid', 'The ID token is of another issuer.');
    if (!lacksClaims(provider, claims) || client.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Many providers return the claims of the profile only at the UserInfo endpoint.
    return { ...(await fetchUserInfo(client, tokens.access_token, claims.sub)), ...claims };
  }

  /** The URL that ends the session at the provider; undefined if the provider has no such URL or is unreachable. */
  async signOutAddress(provider: OidcProvider): Promise<URL | undefined> {
    if (provider.signOut === 'dashboard') return undefined;
    try {
      const client = await this.clients.of(provider);
      if (client.serverMetadata().end_session_endpoint === undefined) return undefined;
      return buildEndSessionUrl(client, { post_logout_redirect_uri: this.providers.page.href });
    } catch {
      return undefined;
    }
  }
}

function lacksClaims(provider: OidcProvider, claims: Claims): boolean {
  const { user = 'email', role = 'role' } = provider.claims ?? {};
  const names = provider.roleFrom === 'user' ? [user] : [user, role];
  return names.some(name => claims[name] === undefined);
}
