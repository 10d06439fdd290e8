import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address, as `ipaddr.js` represents it. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A network and the length of its prefix in bits. */
export type Network = readonly [Address, number];

const MAPPED_PREFIX_BITS = 96;

/**
 * Parses entries such as `10.0.0.0/8`, `fd00::/8` or a single address. A network of IPv4-mapped addresses
 * (`::ffff:10.0.0.0/104`) becomes an IPv4 network, because mapped addresses are compared as IPv4 addresses.
 * @param option name of the option, for the error
 * @throws Error at the start of the app that names the option and the entry
 */
export function parseNetworks(entries: readonly string[], option: string): Network[] {
  return entries.map(entry => {
    const network = readNetwork(entry.trim());
    if (network) return network;
    throw new Error(
      `${option}: ${JSON.stringify(entry)} is not a network; write it as 10.0.0.0/8, fd00::/8 or a single address`,
    );
  });
}

function readNetwork(entry: string): Network | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(entry)) return [ipaddr.IPv4.parse(entry), 32];
  if (ipaddr.IPv4.isValidCIDRFourPartDecimal(entry)) return ipaddr.IPv4.parseCIDR(entry);
  if (entry.includes('%')) return undefined;
  if (ipaddr.IPv6.isValid(entry)) return withoutMapping(ipaddr.IPv6.parse(entry), 128);
  if (ipaddr.IPv6.isValidCIDR(entry)) return withoutMapping(...ipaddr.IPv6.parseCIDR(entry));
  return undefined;
}

function withoutMapping(address: ipaddr.IPv6, bits: number): Network {
  return bits >= MAPPED_PREFIX_BITS && address.isIPv4MappedAddress()
    ? [address.toIPv4Address(), bits - MAPPED_PREFIX_BITS]
    : [address, bits];
}

/** Whether one of the networks contains the address. IPv4 never matches IPv6. */
export function covers(networks: readonly Network[], address: Address): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
