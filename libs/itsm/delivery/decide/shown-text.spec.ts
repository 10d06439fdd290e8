import { describe, expect, it } from '@jest/globals';
import { keptRef, Redaction } from './shown-text.js';

const SECRETS = { email: 'robot@example.com', api_token: 'to/ken=7' };
const redaction = new Redaction(SECRETS);

describe('what is shown of a platform’s answer', () => {
  it.each([
    'to/ken=7',
    'to%2Fken%3D7',
    'robot@example.com',
    Buffer.from('robot@example.com:to/ken=7').toString('base64'),
    Buffer.from('to/ken=7').toString('base64'),
    Buffer.from('to/ken=7').toString('base64').replace(/=+$/, ''),
  ])('never holds a secret, spelled %s', spelling => {
    expect(redaction.of(`a ${spelling} b`)).toBe('a [hidden] b');
    expect(redaction.ofFields({ [spelling]: spelling })).toEqual({ '[hidden]': '[hidden]' });
  });

  it('keeps sentences whole where a secret is so short that it is in all of them', () => {
    expect(new Redaction({ password: 'a' }).of('an apple')).toBe('an apple');
  });

  it('is what can be stored, and not long', () => {
    expect(redaction.of('a\0b\ud800')).toBe('ab\ufffd');
    expect(redaction.of('x'.repeat(5_000))).toHaveLength(2_000);
  });
});

describe('what an adapter calls a ticket', () => {
  it('is kept as it is', () => {
    const ref = { externalTicketId: 'SEC-17', platformId: '10017', url: 'https://acme.example/browse/SEC-17' };
    expect(keptRef(ref)).toEqual(ref);
  });

  it('is no name where it is empty, long or cannot be stored', () => {
    for (const externalTicketId of ['', 'x'.repeat(256), 'a\0', '\ud800'])
      expect(keptRef({ externalTicketId })).toBeUndefined();
  });

  it('is no link where that is not https', () => {
    for (const url of [
      'javascript:alert(1)',
      'http://acme.example',
      'nonsense',
      `https://a.example/${'x'.repeat(2_048)}`,
    ]) {
      expect(keptRef({ externalTicketId: 'SEC-17', url })).toEqual({ externalTicketId: 'SEC-17' });
    }
  });
});
