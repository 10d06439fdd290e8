import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isWithin, whyRefused } from './addresses/address-verdict.js';
import type { AllowedTargets, EgressPurpose } from './addresses/allowed-targets.js';
import type { Target } from './addresses/target-url.js';
import { EgressRefusedError } from './egress.errors.js';
import { isLocalhost, type NameResolver } from './name-resolver.js';

const NEEDS_TLS = 'an address that needs https:';
const REMEDY =
  'only public addresses are called, and those that the operator allows (GOVERNANCE_EGRESS_ALLOW, option egress.allow)';

/** Allows calls for one purpose to permitted addresses only. */
export class AddressFilter {
  constructor(
    private readonly allowed: AllowedTargets,
    private readonly purpose: EgressPurpose,
    private readonly names: NameResolver,
  ) {}

  /** Checks a URL that contains an IP address. Sockets do not resolve it, so `lookupFor` never checks it. */
  judgeLiteral({ host, port, isAddress, isPlain }: Target): EgressRefusedError | undefined {
    const why = isAddress ? this.whyRefused(host, port, isPlain) : undefined;
    return why === undefined ? undefined : new EgressRefusedError('refused_address', `${host} is ${why}; ${REMEDY}.`);
  }

  /**
   * The addresses of a name, if all are permitted. If only some are permitted, the name is refused: otherwise its owner
   * could choose which address is called. For names of this machine, returns only the permitted addresses.
   * @param isPlain whether the call is without TLS
   * @throws EgressRefusedError; its message does not contain the address, which the caller must not learn
   * @throws NameUnresolvedError
   */
  async admit(host: string, port: number, isPlain = false): Promise<LookupAddress[]> {
    const verdicts = (await this.names.resolve(host)).map(address => ({
      address,
      why: this.whyRefused(address, port, isPlain),
    }));
    const permitted = verdicts.filter(({ why }) => why === undefined);
    const refused = verdicts.find(({ why }) => why !== undefined);
    if (refused && !(isLocalhost(host) && permitted.length > 0)) {
      throw new EgressRefusedError('refused_address', `${host} leads to ${refused.why}; ${REMEDY}.`);
    }
    return permitted.map(({ address }) => ({ address, family: isIP(address) }));
  }

  /** Lookup function for sockets. Sockets connect to exactly the checked addresses, which prevents DNS rebinding. */
  lookupFor(port: number, isPlain = false): LookupFunction {
    return (host, options, callback) => {
      this.admitByCallback(host, port, isPlain, (error, addresses) => {
        if (error) callback(error, '');
        else if (options.all) callback(null, addresses);
        else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
      });
    };
  }

  /**
   * Whether responses from an address may be shown to users. True for a public address, and for an address that an
   * entry allows for this purpose.
   */
  mayShow(address: string, port: number): boolean {
    return whyRefused(address, this.allowed.networksNaming(this.purpose, port)) === undefined;
  }

  /** Whether there are rules for this port. */
  namesPort(port: number): boolean {
    return this.allowed.namesPort(port);
  }

  private readonly admitByCallback = callbackify((host: string, port: number, isPlain: boolean) =>
    this.admit(host, port, isPlain),
  );

  /**
   * Without TLS, the server is not authenticated. Even public addresses are therefore refused, unless an entry allows
   * them.
   */
  private whyRefused(address: string, port: number, isPlain: boolean): string | undefined {
    const allowed = this.allowed.networksFor(this.purpose, port);
    return whyRefused(address, allowed) ?? (isPlain && !isWithin(address, allowed) ? NEEDS_TLS : undefined);
  }
}
