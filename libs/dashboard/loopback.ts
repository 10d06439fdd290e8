import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host name, with or without a port, always means this machine. */
export function isLoopbackName(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name.toLowerCase() === 'localhost' || name.toLowerCase().endsWith('.localhost') || isLoopbackAddress(name);
}

/** Whether an IP address belongs to this machine. */
export function isLoopbackAddress(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  const version = isIP(plain);
  return version !== 0 && LOOPBACK.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}
