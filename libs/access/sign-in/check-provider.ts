import { isUuid } from '#core';
import type { IdentityProvider } from './identity-provider.js';
import { ROLES } from '../principals/scopes.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Validates an identity provider at boot, and returns the URL of its keys.
 * @throws Error naming the provider and the remedy.
 */
export function checkProvider(provider: IdentityProvider): URL {
  const at = `identityProviders: ${provider.issuer}`;
  const weak = provider.algorithms?.find(name => !/^(RS|PS|ES)\d{3}$|^(EdDSA|Ed25519|ML-DSA-\d{2})$/.test(name));
  if (weak) throw new Error(`${at} lists the algorithm ${weak}; list asymmetric ones only, such as RS256 or ES256`);
  if (!provider.issuer || !provider.audience) throw new Error(`${at}: issuer and audience must not be empty`);
  if (provider.organizationId !== undefined && !isUuid(provider.organizationId)) {
    throw new Error(`${at}: organizationId must be the UUID of an organization`);
  }
  if (provider.trustEmail !== undefined && typeof provider.trustEmail !== 'boolean') {
    throw new Error(`${at}: trustEmail must be true or false`);
  }
  if (!['refuse', 'accept'].includes(provider.unknownSubjects ?? 'refuse')) {
    throw new Error(`${at}: unknownSubjects must be refuse or accept`);
  }
  if (provider.tokenType !== undefined && (typeof provider.tokenType !== 'string' || provider.tokenType === '')) {
    throw new Error(`${at}: tokenType must be a header value such as at+jwt`);
  }
  const unknown = Object.values(provider.roles ?? {}).find(role => !ROLES.includes(role));
  if (unknown !== undefined) throw new Error(`${at}: roles names ${unknown}; there are ${ROLES.join(', ')}`);
  return checkKeysUrl(provider.jwksUri, at);
}

function checkKeysUrl(text: string, at: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))) return url;
  // Without TLS, an attacker who replaces the keys in transit could sign in as any user.
  throw new Error(`${at}: jwksUri must be an https: URL (http: only on this machine)`);
}
