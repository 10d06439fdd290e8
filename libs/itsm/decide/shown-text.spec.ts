import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#core';
import { keptRef, Redaction } from './shown-text.js';

const SECRETS = { email: 'robot@example.com', api_token: 'to/ken=7' };
const redaction = new Redaction(SECRETS);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('the shown part of a platform’s answer', () => {
  it.each([
    'to/ken=7',
    'to%2Fken%3D7',
    'to%2fken%3d7',
    String.raw`to\/ken=7`,
    String.raw`to\u002fken\u003D7`,
    'to&#x2F;ken&#61;7',
    'robot@example.com',
    'Robot@Example.COM',
    base64('robot@example.com:to/ken=7'),
    encodeURIComponent(base64('robot@example.com:to/ken=7')),
    base64('to/ken=7'),
    base64('to/ken=7').replace(/=+$/, ''),
  ])('never contains a secret, spelled %s', spelling => {
    expect(redaction.of(`a ${spelling} b`)).toBe('a [hidden] b');
    expect(redaction.ofFields({ [spelling]: spelling })).toEqual({ '[hidden]': '[hidden]' });
  });

  it.each([
    ['two  blanks  in  it', 'two blanks in it'],
    ['tab\u2028sep', 'tab sep'],
    ['tab\u2028sep', String.raw`tab\u2028sep`],
    ['a\u202Eb-turned', 'ab-turned'],
    [' around it ', 'around it'],
    ['quo"ted\\one', String.raw`quo\"ted\\one`],
    ['quo"ted\\one', 'quo&quot;ted\\one'],
    ['gruß-\u{1F600}-9', String.raw`gru\u00df-\ud83d\ude00-9`],
    ['gruß-\u{1F600}-9', encodeURIComponent('gruß-\u{1F600}-9')],
    ['any b+c', 'any+b%2Bc'],
  ])('never contains the secret %j, spelled %j', (secret, spelling) => {
    expect(new Redaction({ secret }).of(`It says: ${spelling}.`)).toBe('It says: [hidden].');
  });

  it('never contains a secret that is part of longer base64', () => {
    const secret = 'Correct-Horse:9';
    for (const before of ['x:', 'xy:', 'xyz:']) {
      const shown = new Redaction({ secret }).of(`sent ${base64(`${before}${secret}, and more`)}`);
      expect(shown).toContain('[hidden]');
      expect(Buffer.from(shown.replace('sent ', ''), 'base64').toString('latin1')).not.toContain('orrect');
    }
  });

  it.each(['a', 'Zq', 'abc', '7'])(
    'never contains a secret as short as %s as a separate word, and keeps other words',
    secret => {
      const short = new Redaction({ password: secret });
      expect(short.of(`The password ${secret} is wrong, “${secret}”.`)).toBe(
        'The password [hidden] is wrong, “[hidden]”.',
      );
      expect(short.of(`An x${secret}x stays.`)).toBe(`An x${secret}x stays.`);
    },
  );

  it('is not searched for an empty secret', () => {
    for (const secrets of [{}, { none: '' }, { blank: '  ' }, { number: 7 }] as JsonObject[]) {
      expect(new Redaction(secrets).of('As it was, 7.')).toBe('As it was, 7.');
    }
  });

  it('does not take longer for an answer that is crafted to be slow', () => {
    const slow = new Redaction({ secret: '\\"\\"\\"\\"\\"x', token: `${'\\\\'.repeat(20)}a + + + + b` });
    const started = performance.now();
    for (const text of [
      '\\'.repeat(500_000),
      '\\\\\\"'.repeat(90_000),
      `a${'+'.repeat(400_000)}`,
      '%25'.repeat(90_000),
    ])
      slow.of(text);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('is one printable line of limited length', () => {
    expect(redaction.of('a\0b\ud800\n\u001b[31m\u202Ec')).toBe('a b\ufffd [31mc');
    expect(redaction.of('x'.repeat(5_000))).toHaveLength(2_000);
  });
});

describe('the key of a ticket from an adapter', () => {
  it('is stored unchanged', () => {
    const ref = { externalTicketId: 'SEC-17', platformId: '10017', url: 'https://acme.example/browse/SEC-17' };
    expect(keptRef(ref)).toEqual(ref);
    expect(redaction.ofRef(ref)).toEqual(ref);
  });

  it('is refused if it is empty or too long', () => {
    for (const externalTicketId of ['', '\n', 'x'.repeat(256)]) expect(keptRef({ externalTicketId })).toBeUndefined();
  });

  it('is one line, without characters that hide, reverse or color it', () => {
    const odd = '\u202Eevil\n\r\u001b[31m\u200B 7\0\ud800';
    expect(keptRef({ externalTicketId: odd, platformId: odd })).toEqual({ externalTicketId: 'evil [31m 7 \ufffd' });
  });

  it('has no link if the link is not https', () => {
    for (const url of [
      'javascript:alert(1)',
      'http://acme.example',
      'nonsense',
      'https://robot:word@acme.example/1',
      `https://a.example/${'x'.repeat(2_048)}`,
    ]) {
      expect(keptRef({ externalTicketId: 'SEC-17', url })).toEqual({ externalTicketId: 'SEC-17' });
    }
  });

  it('has a link in canonical form', () => {
    const url = 'https://ACME.example/a b\u202E\n?q=ü';
    expect(keptRef({ externalTicketId: 'SEC-17', url })?.url).toBe('https://acme.example/a%20b%E2%80%AE?q=%C3%BC');
  });

  it('contains no secret, neither in its names nor in its link', () => {
    const url = 'https://acme.example/browse?by=to%2Fken%3D7';
    expect(redaction.ofRef({ externalTicketId: 'SEC to/ken=7', platformId: 'to/ken=7', url })).toEqual({
      externalTicketId: 'SEC [hidden]',
    });
  });

  it('may contain values that the settings show anyway', () => {
    const ref = { externalTicketId: 'SEC-17', url: 'https://acme.example/browse/SEC-17' };
    const settings = { instance_url: 'https://acme.example', project_key: 'SEC' };
    expect(new Redaction({ user: 'acme', password: 'SEC' }, settings).ofRef(ref)).toEqual(ref);
    expect(new Redaction({ user: 'acme', password: 'SEC' }).ofRef(ref)).toEqual({ externalTicketId: '[hidden]-17' });
  });
});
