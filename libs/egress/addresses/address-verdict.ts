import ipaddr from 'ipaddr.js';
import { covers, parseNetworks, type Address, type Network } from './network.js';

/** All global unicast addresses of IPv6 that were ever allocated (RFC 4291, 2.4; IANA registry of IPv6 unicast). */
const GLOBAL_UNICAST = parseNetworks(['2000::/3'], 'global unicast');

/** Azure's platform address. The registries list it as public, but the host of the virtual machine responds to it. */
const PUBLIC_IN_NAME_ONLY = parseNetworks(['168.63.129.16'], 'platform addresses');

/** Words for the ranges of `ipaddr.js`. Other ranges are called reserved. */
const RANGE_WORDS: Readonly<Record<string, string>> = {
  unspecified: 'an unspecified address',
  broadcast: 'the broadcast address',
  multicast: 'a multicast address',
  linkLocal: 'a link-local address',
  loopback: 'a loopback address',
  carrierGradeNat: 'an address of a shared network',
  private: 'a private address',
  uniqueLocal: 'a private address',
  deprecatedSiteLocal: 'a private address',
  ipv4Mapped: 'an IPv4 address in disguise',
  rfc6145: 'an IPv4 address in disguise',
  rfc6052: 'an IPv4 address in disguise',
  '6to4': 'an IPv4 address in disguise',
  teredo: 'an IPv4 address in disguise',
};

/**
 * Why an address must not be called, in words such as `a private address`; undefined if it may be called. Permitted are
 * public unicast addresses and the allowed networks. An IPv4-mapped address is permitted only if its IPv4 address is in
 * the allowed networks. An address that is translated to IPv4 (NAT64 of RFC 6052, 6to4) must itself be in an allowed
 * network, and its IPv4 address must be permitted as well.
 * @param text an address in its canonical spelling, as resolvers and WHATWG URLs return it; any other text is refused
 */
export function whyRefused(text: string, allowed: readonly Network[]): string | undefined {
  const address = readAddress(text);
  if (!address) return 'no address';
  if (address.kind() === 'ipv4') return whyRefusedIPv4(address, allowed);
  const ipv6 = address as ipaddr.IPv6; // `kind()` determines the class, but the compiler cannot infer it.
  if (ipv6.isIPv4MappedAddress()) return covers(allowed, ipv6.toIPv4Address()) ? undefined : wordsFor(ipv6);
  if (covers(allowed, ipv6)) {
    const translated = translatedIPv4(ipv6);
    return translated && whyRefusedIPv4(translated, allowed);
  }
  return ipv6.range() === 'unicast' && covers(GLOBAL_UNICAST, ipv6) ? undefined : wordsFor(ipv6);
}

/**
 * Whether an address in its canonical spelling is in one of the networks. An IPv4-mapped address counts as its IPv4
 * address.
 */
export function isWithin(text: string, networks: readonly Network[]): boolean {
  const address = readAddress(text);
  if (!address) return false;
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress();
  return covers(networks, isMapped ? address.toIPv4Address() : address);
}

function readAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  // ipaddr.js reads the notation ::7.7.7.7 (IPv4-compatible) as IPv4-mapped. The address is therefore first converted
  // to hexadecimal.
  const hex = URL.parse(`https://[${text}]/`)?.hostname.slice(1, -1);
  return hex !== undefined && ipaddr.IPv6.isValid(hex) ? ipaddr.IPv6.parse(hex) : undefined;
}

function whyRefusedIPv4(address: Address, allowed: readonly Network[]): string | undefined {
  if (covers(allowed, address)) return undefined;
  return address.range() === 'unicast' && !covers(PUBLIC_IN_NAME_ONLY, address) ? undefined : wordsFor(address);
}

function wordsFor(address: Address): string {
  return RANGE_WORDS[address.range()] ?? 'a reserved address';
}

/**
 * Byte offset of the IPv4 address in a translated address: RFC 6052, 2.2 (well-known prefix, 96 bits) and RFC 3056, 2.
 */
const TRANSLATED_AT: readonly (readonly [Network, number])[] = [
  ...parseNetworks(['64:ff9b::/96'], 'NAT64').map(network => [network, 12] as const),
  ...parseNetworks(['2002::/16'], '6to4').map(network => [network, 2] as const),
];

function translatedIPv4(address: ipaddr.IPv6): ipaddr.IPv4 | undefined {
  const found = TRANSLATED_AT.find(([network]) => covers([network], address));
  return found && new ipaddr.IPv4(address.toByteArray().slice(found[1], found[1] + 4));
}
