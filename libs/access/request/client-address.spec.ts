import { describe, expect, it } from '@jest/globals';
import { ClientAddress } from './client-address.js';
import type { HttpRequest } from './http-request.js';

function requestFrom(remoteAddress: string, headers: Record<string, string> = {}): HttpRequest {
  return { headers, socket: { remoteAddress } };
}

describe('the address of a client', () => {
  const addresses = new ClientAddress({ trustedProxies: ['10.0.0.0/8'] });

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['2001:DB8::1', '2001:db8::1'],
  ])('is normalized from %s to %s, on every request', (peer, written) => {
    expect(addresses.of(requestFrom(peer))).toBe(written);
    expect(addresses.of(requestFrom(peer))).toBe(written);
  });

  it('is the forwarded one if the peer is a trusted proxy', () => {
    expect(addresses.of(requestFrom('10.0.0.2', { 'x-forwarded-for': '::ffff:203.0.113.9' }))).toBe('203.0.113.9');
  });

  it('is that of the peer if the peer is not trusted', () => {
    expect(addresses.of(requestFrom('203.0.113.9', { 'x-forwarded-for': '198.51.100.1' }))).toBe('203.0.113.9');
  });

  it('is unknown if a trusted proxy forwards an invalid address', () => {
    const request = requestFrom('10.0.0.2', { 'x-forwarded-for': 'unknown' });
    expect(addresses.of(request)).toBeNull();
    expect(addresses.of(request)).toBeNull();
  });
});
