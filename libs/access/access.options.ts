import proxyAddr from 'proxy-addr';
import { option } from '#core';
import type { IdentityProvider } from './sign-in/identity-provider.js';
import { IDENTITY_PROVIDERS_RULE } from './sign-in/identity-providers-rule.js';

/** Options of the access library. */
export interface AccessOptions {
  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  trustedProxies?: readonly string[];
  /** Requests per minute and credential on management endpoints. 0 disables the limit. Default: 600. */
  requestsPerMinute?: number;
  /**
   * Failed sign-ins per minute and address (IPv6: /64 network) in each process; 0 turns the limit off. The limit does
   * not affect credentials that this process has accepted before. Default: 300.
   */
  failedSignInsPerMinute?: number;
  /**
   * Days for which rows of the audit log are kept, from 30 to 36,500. When rows are deleted, the log records the last
   * one, so that the remaining chain can still be checked. Default: forever.
   */
  auditRetentionDays?: number;
  /** Identity providers whose JWTs are accepted. Default: none. */
  identityProviders?: readonly IdentityProvider[];
}

/** Rules that the options must satisfy. */
export const ACCESS_RULES = {
  requestsPerMinute: option.whole(0, 1_000_000_000, ' (0 turns the limit off)'),
  failedSignInsPerMinute: option.whole(0, 1_000_000_000, ' (0 turns the limit off)'),
  auditRetentionDays: option.whole(30, 36_500, ' (leave it out to keep the rows forever)'),
  trustedProxies: option.readable(option.isTextList, 'a list of addresses or ranges such as 10.0.0.0/8', proxies => {
    proxyAddr.compile([...proxies]);
  }),
  identityProviders: IDENTITY_PROVIDERS_RULE,
} satisfies option.RulesOf<AccessOptions>;

/** Injection token of {@link AccessOptions}. */
export const ACCESS_OPTIONS = Symbol('governance.access-options');
