import ipaddr from 'ipaddr.js';

const HOST_BYTES = 8;

/** What one party holds for itself: an IPv4 address, or the /64 network of an IPv6 address. */
export function addressKey(address: string | null): string {
  // Callers whose address is not known share one key.
  if (address === null || !ipaddr.isValid(address)) return '';
  const read = ipaddr.process(address);
  if (read.kind() === 'ipv4') return read.toString();
  const network = [...read.toByteArray().slice(0, HOST_BYTES), ...Array<number>(HOST_BYTES).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}
