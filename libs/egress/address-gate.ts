import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { whyRefused } from './addresses/address-verdict.js';
import type { Network } from './addresses/network.js';
import type { Target } from './addresses/target-url.js';
import { EgressRefusedError } from './egress.errors.js';
import { isLocalhost, type NameResolver } from './name-resolver.js';

const REMEDY = 'only public addresses are called, and those that the operator allows (egress.allow)';

/** Lets calls through to permitted addresses only. */
export class AddressGate {
  constructor(
    private readonly allowed: readonly Network[],
    private readonly names: NameResolver,
  ) {}

  /** Addresses in the URL itself; sockets do not look these up, so nobody else judges them. */
  judgeLiteral({ host, isAddress }: Target): EgressRefusedError | undefined {
    const why = isAddress ? whyRefused(host, this.allowed) : undefined;
    return why === undefined ? undefined : new EgressRefusedError('refused_address', `${host} is ${why}; ${REMEDY}.`);
  }

  /**
   * The addresses of a name, if every single one is permitted: with mixed answers the caller's name server decides
   * which one is used. Of the machine's own names, those that are permitted.
   * @throws EgressRefusedError without the address, which is not the caller's to know
   * @throws NameUnresolvedError
   */
  async admit(host: string): Promise<LookupAddress[]> {
    const verdicts = (await this.names.resolve(host)).map(address => ({
      address,
      why: whyRefused(address, this.allowed),
    }));
    const permitted = verdicts.filter(({ why }) => why === undefined);
    const refused = verdicts.find(({ why }) => why !== undefined);
    if (refused && !(isLocalhost(host) && permitted.length > 0)) {
      throw new EgressRefusedError('refused_address', `${host} leads to ${refused.why}; ${REMEDY}.`);
    }
    return permitted.map(({ address }) => ({ address, family: isIP(address) }));
  }

  /**
   * For the sockets: whatever connects does so to the very addresses that were judged, so a name that changes its
   * addresses between two questions gains nothing.
   */
  readonly lookup: LookupFunction = (host, options, callback) => {
    this.admitByCallback(host, (error, addresses) => {
      if (error) callback(error, '');
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };

  private readonly admitByCallback = callbackify((host: string) => this.admit(host));
}
