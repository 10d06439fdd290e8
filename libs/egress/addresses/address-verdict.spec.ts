import { describe, expect, it } from '@jest/globals';
import { whyRefused } from './address-verdict.js';
import { parseNetworks } from './network.js';

const allow = (...entries: string[]) => parseNetworks(entries, 'egress.allow');

describe('whyRefused', () => {
  it.each([
    ['0.0.0.0', 'an unspecified address'],
    ['0.1.2.3', 'an unspecified address'],
    ['10.0.0.1', 'a private address'],
    ['100.64.0.1', 'an address of a shared network'],
    ['100.100.100.200', 'an address of a shared network'],
    ['127.0.0.1', 'a loopback address'],
    ['127.255.255.254', 'a loopback address'],
    ['168.63.129.16', 'a reserved address'],
    ['169.254.169.254', 'a link-local address'],
    ['172.16.0.1', 'a private address'],
    ['172.31.255.255', 'a private address'],
    ['192.0.0.8', 'a reserved address'],
    ['192.0.2.1', 'a reserved address'],
    ['192.88.99.1', 'a reserved address'],
    ['192.168.1.1', 'a private address'],
    ['198.18.0.1', 'a reserved address'],
    ['198.19.255.255', 'a reserved address'],
    ['198.51.100.7', 'a reserved address'],
    ['203.0.113.9', 'a reserved address'],
    ['224.0.0.1', 'a multicast address'],
    ['239.255.255.250', 'a multicast address'],
    ['240.0.0.1', 'a reserved address'],
    ['255.255.255.255', 'the broadcast address'],
    ['::', 'an unspecified address'],
    ['::1', 'a loopback address'],
    ['::7f00:1', 'a reserved address'],
    ['::8.8.8.8', 'a reserved address'],
    ['::ffff:7f00:1', 'an IPv4 address in disguise'],
    ['::ffff:8.8.8.8', 'an IPv4 address in disguise'],
    ['::ffff:0:10.0.0.1', 'an IPv4 address in disguise'],
    ['64:ff9b::10.0.0.1', 'an IPv4 address in disguise'],
    ['64:ff9b::8.8.8.8', 'an IPv4 address in disguise'],
    ['64:ff9b:1::a00:1', 'an IPv4 address in disguise'],
    ['100::1', 'a reserved address'],
    ['2001::1', 'an IPv4 address in disguise'],
    ['2001:2::1', 'a reserved address'],
    ['2001:10::1', 'a reserved address'],
    ['2001:db8::1', 'a reserved address'],
    ['2002:7f00:1::', 'an IPv4 address in disguise'],
    ['3fff::1', 'a reserved address'],
    ['4000::1', 'a reserved address'],
    ['5f00::1', 'a reserved address'],
    ['fc00::1', 'a private address'],
    ['fd00:ec2::254', 'a private address'],
    ['fe80::1', 'a link-local address'],
    ['fe80::1%eth0', 'no address'],
    ['fec0::1', 'a private address'],
    ['ff02::1', 'a multicast address'],
  ])('refuses %s as %s', (address, why) => {
    expect(whyRefused(address, [])).toMatch(why);
  });

  it.each(['1.1.1.1', '93.184.215.14', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001::1'])(
    'allows the public address %s',
    address => {
      expect(whyRefused(address, [])).toBeUndefined();
    },
  );

  it.each(['', 'localhost', '2130706433', '127.1', '0177.0.0.1', '0x7f.0.0.1', '1.2.3.4.5', '[::1]', '1.1.1.1 '])(
    'refuses %j as an address, because it is not in its canonical spelling',
    text => {
      expect(whyRefused(text, allow('0.0.0.0/0', '::/0'))).toBeDefined();
    },
  );

  it('permits the addresses of an allowed network, and no others', () => {
    expect(whyRefused('10.1.2.3', allow('10.1.0.0/16'))).toBeUndefined();
    expect(whyRefused('10.2.2.3', allow('10.1.0.0/16'))).toBeDefined();
    expect(whyRefused('fd00::5', allow('fd00::/8'))).toBeUndefined();
    expect(whyRefused('::1', allow('127.0.0.0/8'))).toBeDefined();
    expect(whyRefused('10.0.0.1', allow('::/0'))).toBeDefined();
  });

  it('compares a mapped address as its IPv4 address, on both sides', () => {
    expect(whyRefused('::ffff:10.0.0.1', allow('10.0.0.0/8'))).toBeUndefined();
    expect(whyRefused('10.0.0.1', allow('::ffff:10.0.0.0/104'))).toBeUndefined();
    expect(whyRefused('::ffff:10.0.0.1', allow('::/0'))).toBeDefined();
    expect(whyRefused('::10.0.0.1', allow('10.0.0.0/8'))).toBeDefined();
  });

  it.each([
    ['64:ff9b::/96', '64:ff9b::8.8.8.8', '64:ff9b::10.0.0.1'],
    ['2002::/16', '2002:808:808::1', '2002:a00:1::1'],
  ])('allows through the allowed translator %s only addresses that are allowed themselves', (network, good, bad) => {
    expect(whyRefused(good, allow(network))).toBeUndefined();
    expect(whyRefused(bad, allow(network))).toBe('a private address');
    expect(whyRefused(bad, allow(network, '10.0.0.0/8'))).toBeUndefined();
  });
});

describe('parseNetworks', () => {
  it.each([
    '',
    '10.0.0.0/33',
    '10/8',
    '0x0a.0.0.0/8',
    '010.0.0.0/8',
    'fd00::/129',
    'fe80::%eth0/64',
    'example.com',
    '*',
  ])('names the option and the entry if %j is not a network', entry => {
    expect(() => allow('10.0.0.0/8', entry)).toThrow(`egress.allow: ${JSON.stringify(entry)} is not a network`);
  });

  it('treats a single address as a network of one', () => {
    expect(whyRefused('10.0.0.1', allow('10.0.0.1'))).toBeUndefined();
    expect(whyRefused('10.0.0.2', allow('10.0.0.1'))).toBeDefined();
    expect(whyRefused('fd00::2', allow(' fd00::1 '))).toBeDefined();
  });
});
