import type { IdentityProvider } from './principals/identity-provider.js';

/** What the access library needs to know from `forRoot`. */
export interface AccessOptions {
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is believed. Default: none. */
  trustedProxies?: readonly string[];
  /** Requests per minute and credential on management endpoints; 0 turns the limit off. Default: 600. */
  requestsPerMinute?: number;
  /**
   * Failed sign-ins per minute and address (IPv6: /64 network) in each process; 0 turns the limit off. Credentials that
   * were accepted before still work. Default: 300.
   */
  failedSignInsPerMinute?: number;
  /** Identity providers whose JWTs are accepted. Default: none. */
  identityProviders?: readonly IdentityProvider[];
}

/** Injection token of {@link AccessOptions}. */
export const ACCESS_OPTIONS = Symbol('governance.access-options');
