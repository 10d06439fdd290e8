import { option } from '#core';
import { AllowedTargets } from './addresses/allowed-targets.js';
import { NameResolver } from './name-resolver.js';

/** Options of outbound calls. */
export interface EgressOptions {
  /**
   * Networks (CIDR) or addresses that may be called in addition to public addresses. An entry may name a purpose and a
   * port: `webhooks=10.0.0.0/8:443`, `tickets=[fd00::/8]:443`. Otherwise it applies to every purpose and port. Purposes
   * are `webhooks`, `tickets`, `chat`, `gateway` (calls to LLM providers) and `audit` (the collector of a SIEM).
   * `http:` is permitted only for the purpose `gateway`, and only at addresses that an entry allows for it. If a
   * webhook has a private address, its responses are stored in the delivery log only if an entry names `webhooks`.
   * Default: none.
   */
  allow?: readonly string[];
  /** Name servers as `ip`, `ip:port` or `[ipv6]:port`. Default: the name servers of the system. */
  nameServers?: readonly string[];
  /**
   * Maximum number of parallel connections to one origin. Further calls wait, and their timeouts include the wait. Set
   * it at least to the number of parallel calls. Default: no limit.
   */
  connectionsPerOrigin?: number;
}

/** Validation rules of the options. */
export const EGRESS_RULES = {
  allow: option.readable(option.isTextList, 'a list of texts', entries => new AllowedTargets(entries)),
  nameServers: option.readable(option.isTextList, 'a list of texts', servers => new NameResolver(servers)),
  connectionsPerOrigin: option.whole(1, 1_000_000),
} satisfies option.RulesOf<EgressOptions>;

/** Injection token of {@link EgressOptions}. */
export const EGRESS_OPTIONS = Symbol('governance.egress-options');
