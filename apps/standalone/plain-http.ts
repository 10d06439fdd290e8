import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * A warning for an app that other machines reach without TLS, because tokens would be sent in plain text. The app
 * itself speaks only HTTP. If its public URL begins with `https:`, a TLS proxy is in front of it, and there is no
 * warning. Undefined if no warning is needed.
 */
export function plainHttpWarning(host: string, publicUrl: string | undefined): string | undefined {
  if (isLoopback(host) || publicUrl?.startsWith('https:')) return undefined;
  return (
    `HOST=${host} lets other machines reach this app over plain HTTP, and tokens cross the network readable. Put a TLS ` +
    'proxy in front and say so with GOVERNANCE_PUBLIC_URL=https://governance.example.com, or listen on HOST=127.0.0.1.'
  );
}

/** Whether a host name or address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  if (version === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}
