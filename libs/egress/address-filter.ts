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

  /** Checks an IP address in the URL. Sockets do not resolve it, so this is its only check. */
  judgeLiteral({ host, port, isAddress, isPlain }: Target): EgressRefusedError | undefined {
    const why = isAddress ? this.whyRefused(host, port, isPlain) : undefined;
    return why === undefined ? undefined : new EgressRefusedError('refused_address', `${host} is ${why}; ${REMEDY}.`);
  }

  /**
   * The addresses of a name, if all are permitted. With mixed addresses, the owner of the name could choose the one
   * that is called. For names of this machine, returns only the permitted addresses.
   * @param isPlain whether the call is without TLS
   * @throws EgressRefusedError without the address, which the caller must not learn
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

  /** Lookup function of the sockets. They connect to exactly the checked addresses, which prevents DNS rebinding. */
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
   * Whether answers of an address may be shown: of a public address, or of one that an entry allows for this purpose.
   */
  mayShow(address: string, port: number): boolean {
    return whyRefused(address, this.allowed.networksNaming(this.purpose, port)) === undefined;
  }

  /** Whether the port has rules of its own. */
  namesPort(port: number): boolean {
    return this.allowed.namesPort(port);
  }

  private readonly admitByCallback = callbackify((host: string, port: number, isPlain: boolean) =>
    this.admit(host, port, isPlain),
  );

  /**
   * Without TLS the server is not authenticated, so public addresses are refused too, unless an entry allows them.
   */
  private whyRefused(address: string, port: number, isPlain: boolean): string | undefined {
    const allowed = this.allowed.networksFor(this.purpose, port);
    return whyRefused(address, allowed) ?? (isPlain && !isWithin(address, allowed) ? NEEDS_TLS : undefined);
  }
}
