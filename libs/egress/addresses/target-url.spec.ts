import { describe, expect, it } from '@jest/globals';
import { whyRefused } from './address-verdict.js';
import { MAX_URL_LENGTH, readTarget } from './target-url.js';

const LABEL = 'a'.repeat(63);
const LONGEST_NAME = `${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(61)}`;

describe('readTarget', () => {
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://127.0.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0X7F.1/',
    'https://0x7f.0x0.0x0.0x1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://0177.0.0.01/',
    'https://00000177.0.0.1/',
    'https://127.0.0.1./',
    'https://127.0.0.1:8443/',
    'https://%31%32%37.0.0.1/',
    'https://127%2e0%2e0%2e1/',
    'https://１２７.０.０.１/',
    'https://127。0。0。1/',
    'https://①②⑦.0.0.1/',
    'https:\\\\127.0.0.1\\',
    'https:127.0.0.1/',
    'https:///127.0.0.1/',
    'HTTPS://127.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://10.1/',
    'https://167772161/',
    'https://192.168.257/',
    'https://0xa9fea9fe/',
    'https://169.254.43518/',
    'https://100.64.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000::0001]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[0:0:0:0:0:FFFF:7F00:0001]/',
    'https://[::127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b:1::a9fe:a9fe]/',
    'https://[2002:7f00:0001::]/',
    'https://[2001:0:0:0:0:0:80ff:fffe]/',
    'https://[fe80::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
  ])('reads %s as the address within it', url => {
    const { target } = readTarget(url);
    expect(target?.isAddress).toBe(true);
    expect(whyRefused(target!.host, [])).toBeDefined();
  });

  it.each(['https://ⓛocalhost/', 'https://LOCALHOST./', 'https://local%68ost/', 'https://lo\u00adcalhost/'])(
    'reads %s as localhost',
    url => {
      expect(readTarget(url).target).toMatchObject({ host: 'localhost', isAddress: false, isPlain: false });
    },
  );

  it.each([
    ['http://example.com/', 'https:'],
    ['ftp://example.com/', 'https:'],
    ['file:///etc/passwd', 'https:'],
    ['javascript:alert(1)', 'https:'],
    ['example.com/hook', 'complete'],
    ['//example.com/hook', 'complete'],
    ['', 'complete'],
    ['https://', 'complete'],
    ['https://./', 'no host'],
    ['https://user@example.com/', 'user name'],
    ['https://:secret@example.com/', 'user name'],
    ['https://example.com@127.0.0.1/', 'user name'],
    ['https://example.com/#part', 'fragment'],
    ['https://example.com/#', 'fragment'],
    ['https://exa mple.com/', 'space'],
    ['https://exam\nple.com/', 'control'],
    [' https://example.com/', 'space'],
    ['https://example.com/\0', 'control'],
    ['https://[fe80::1%25eth0]/', 'complete'],
    ['https://[::1/', 'complete'],
    ['https://256.256.256.256/', 'complete'],
    ['https://1.2.3.4.5/', 'complete'],
    ['https://example.com:99999/', 'complete'],
    ['https://exa%00mple.com/', 'complete'],
    [`https://example.com/${'a'.repeat(MAX_URL_LENGTH)}`, 'longer than 2048 characters; shorten'],
    [
      `https://example.com/${'é'.repeat(MAX_URL_LENGTH / 2)}`,
      'longer than 2048 characters when it is sent, with %C3%A9 for é',
    ],
    ['https://example..com/', 'two dots'],
    ['https://.example.com/', 'one in front'],
    ['https://example.com../', 'two dots'],
    ['https://example。。com/', 'two dots'],
    [`https://${LABEL}a.com/`, 'more than 63 characters'],
    [`https://${'ü'.repeat(60)}.example/`, 'more than 63 characters'],
    [`https://${LONGEST_NAME}a/`, 'longer than 253 characters'],
    ['https://example.com:0/', 'port 0'],
    ['https://127.0.0.1:00/', 'port 0'],
  ])('refuses %j with a sentence about it', (url, about) => {
    expect(readTarget(url).refusal).toContain(about);
  });

  it('quotes nothing of a URL that it refuses', () => {
    for (const url of [
      'https://u:hush@x.test/?k=hush',
      'hush://x/',
      'https://x.test/?k=hush#hush',
      'https://hush host/',
    ]) {
      expect(readTarget(url).refusal).not.toContain('hush');
    }
  });

  it('keeps port, path and query, and drops the final dot of the name', () => {
    expect(readTarget('https://Bücher.Example.:8443/a/../b c'.replace(' ', '%20') + '?x=1&y=é').target).toEqual({
      origin: 'https://xn--bcher-kva.example:8443',
      path: '/b%20c?x=1&y=%C3%A9',
      host: 'xn--bcher-kva.example',
      port: 8443,
      isAddress: false,
      isPlain: false,
    });
    expect(readTarget('https://[2606:4700:0::1111]:443').target).toEqual({
      origin: 'https://[2606:4700::1111]',
      path: '/',
      host: '2606:4700::1111',
      port: 443,
      isAddress: true,
      isPlain: false,
    });
  });

  it('accepts a URL, a name and a part of a name of exactly the maximum length, and a final dot', () => {
    const start = 'https://example.com/';
    expect(readTarget(start + 'a'.repeat(MAX_URL_LENGTH - start.length)).target).toBeDefined();
    expect(LONGEST_NAME).toHaveLength(253);
    for (const end of ['', '.']) expect(readTarget(`https://${LONGEST_NAME}${end}/`).target?.host).toBe(LONGEST_NAME);
  });
});

describe('readTarget with http: allowed', () => {
  it('reads http: URLs with port 80 if none is named', () => {
    expect(readTarget('http://10.0.0.1/llm', true).target).toMatchObject({
      ...{ origin: 'http://10.0.0.1', isPlain: true, port: 80 },
    });
    expect(readTarget('http://10.0.0.1:8080', true).target).toMatchObject({
      origin: 'http://10.0.0.1:8080',
      port: 8080,
    });
    expect(readTarget('https://10.0.0.1', true).target).toMatchObject({ isPlain: false, port: 443 });
  });

  it('refuses other schemes', () => {
    expect(readTarget('ftp://10.0.0.1', true).refusal).toContain('https:');
  });
});
