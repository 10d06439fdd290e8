import { Resolver } from 'node:dns/promises';
import { isErrorLike } from '#core';
import { NameUnresolvedError } from './egress.errors.js';

/**
 * Timeout of the first query to a name server in milliseconds, and number of queries per server. c-ares uses longer
 * timeouts for repeated queries.
 */
const RESOLVER_OPTIONS = { timeout: 1000, tries: 2, maxTimeout: 2000 };

const LOOPBACK: readonly string[] = ['127.0.0.1', '::1'];

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    ENOTFOUND: 'there is no such name',
    ENODATA: 'it has no address',
    ETIMEOUT: 'no name server answered in time',
    ECONNREFUSED: 'no name server could be reached',
    ESERVFAIL: 'the name server failed',
    EREFUSED: 'the name server refused to answer',
    EBADNAME: 'it is not a valid name',
  }),
);

/**
 * Resolves names by DNS only, through c-ares. `dns.lookup` is not used, because it shares four threads with the whole
 * process: a few unresponsive names would block all others. c-ares does not read /etc/hosts.
 */
export class NameResolver {
  private readonly dns = new Resolver(RESOLVER_OPTIONS);

  /** @throws Error at the start of the app that names `egress.nameServers` */
  constructor(nameServers?: readonly string[]) {
    if (!nameServers?.length) return;
    try {
      this.dns.setServers(nameServers);
    } catch {
      throw new Error(
        `egress.nameServers: ${JSON.stringify(nameServers)} has an entry that is not a name server; write each as 9.9.9.9, 9.9.9.9:53 or [2620:fe::fe]:53`,
      );
    }
  }

  /**
   * All addresses of the name, IPv4 first. If there is no answer for IPv4 or for IPv6, its list is empty.
   * @throws NameUnresolvedError
   */
  async resolve(host: string): Promise<readonly string[]> {
    if (isLocalhost(host)) return LOOPBACK;
    const [a, aaaa] = await Promise.allSettled([this.dns.resolve4(host), this.dns.resolve6(host)]);
    const addresses = [a, aaaa].flatMap(found => (found.status === 'fulfilled' ? found.value : []));
    if (addresses.length > 0) return addresses;
    throw new NameUnresolvedError(host, a.status === 'rejected' ? reasonOf(a.reason) : 'it has no address');
  }

  /** Cancels running queries. */
  close(): void {
    this.dns.cancel();
  }
}

/** Whether a name always means this machine, regardless of the answers of name servers (RFC 6761, 6.3). */
export function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function reasonOf(thrown: unknown): string {
  const code = isErrorLike(thrown) && typeof thrown.code === 'string' ? thrown.code : 'unknown';
  return REASONS.get(code) ?? `the question failed (${code})`;
}
