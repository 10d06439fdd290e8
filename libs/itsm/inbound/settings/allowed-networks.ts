import ipaddr from 'ipaddr.js';
import type { FieldError } from '#core';
import { covers, parseNetworks } from '#egress';

/** Networks that are allowed by default: this machine and private networks. */
export const DEFAULT_NETWORKS: readonly string[] = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  'fc00::/7',
];

/** Maximum number of entries of an allow-list. */
export const NETWORKS_MAX = 200;

/** Returns the invalid entries, by their index. */
export function faultsOf(networks: readonly string[]): FieldError[] {
  return networks.flatMap((entry, at) => {
    try {
      parseNetworks([entry], '');
      return [];
    } catch {
      const message = 'must be a network such as 203.0.113.0/24 or 2001:db8::/32, or a single address';
      return [{ field: `allowed_networks[${at}]`, message }];
    }
  });
}

/** Whether an address is in one of the networks. False if the address is unknown. */
export function admits(networks: readonly string[], address: string | null): boolean {
  if (address === null || !ipaddr.isValid(address)) return false;
  return covers(parseNetworks(networks, 'allowed_networks'), ipaddr.process(address));
}
