import { describe, expect, it } from '@jest/globals';
import { admits, DEFAULT_NETWORKS, faultsOf } from './allowed-networks.js';

describe('the allow-list of reports', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '172.31.0.1', '192.168.7.7', 'fd12::1'])(
    'accepts %s by default',
    address => expect(admits(DEFAULT_NETWORKS, address)).toBe(true),
  );

  it.each([
    '203.0.113.7',
    '172.32.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '2001:db8::1',
    'fe80::1',
    '0.0.0.0',
    '::',
    'x',
  ])('refuses %s by default', address => expect(admits(DEFAULT_NETWORKS, address)).toBe(false));

  it('refuses everybody if it is empty, and always refuses an unknown address', () => {
    expect(admits([], '127.0.0.1')).toBe(false);
    expect(admits(['0.0.0.0/0', '::/0'], null)).toBe(false);
    expect(admits(['0.0.0.0/0'], '203.0.113.7')).toBe(true);
  });

  it('names the invalid entries by index', () => {
    const faults = faultsOf(['203.0.113.0/24', '203.0.113.0/33', 'example.com', '2001:db8::/32', '10.1', '']);
    expect(faults.map(({ field }) => field)).toEqual([1, 2, 4, 5].map(at => `allowed_networks[${at}]`));
  });
});
