import { describe, expect, it } from '@jest/globals';
import { newSigningSecret } from './index.js';
import { withoutSecrets } from './without-secrets.js';

describe('an answer of a receiver', () => {
  const secret = newSigningSecret(new Uint8Array(32).fill(251));
  const key = secret.slice('whsec_'.length);
  const shown = (text: string, isCut = false): string => withoutSecrets(Buffer.from(text), [secret], isCut).toString();

  it('is stored byte for byte if it contains no secret', () => {
    const body = Buffer.from([0, 255, 128, 10, ...Buffer.from('whsec_ Zoë')]);
    expect(withoutSecrets(body, [secret], true)).toBe(body);
  });

  it('has the signing secret replaced in every encoding', () => {
    expect(key).toContain('+');
    expect(key).toContain('/');
    for (const spelling of [
      ...[secret, key, key.replaceAll('/', String.raw`\/`), encodeURIComponent(secret)],
      ...[Buffer.from(secret).toString('base64'), Buffer.from(key).toString('hex')],
    ]) {
      expect(shown(`no "${spelling}", and ${spelling}`)).not.toContain(spelling.slice(10, 20));
    }
    expect(shown(`bad key ${secret}!`)).toBe('bad key whsec_[hidden]!');
  });

  it('has both secrets replaced during a rotation', () => {
    const next = newSigningSecret();
    const body = Buffer.from(`${secret} ${next}`);
    expect(withoutSecrets(body, [next, secret], false).toString()).toBe('whsec_[hidden] whsec_[hidden]');
  });

  it('has the beginning of a secret replaced if the answer was truncated within it', () => {
    for (const length of [8, 20, key.length - 1]) {
      expect(shown(`key=${key.slice(0, length)}`, true)).toBe('key=[hidden]');
    }
    expect(shown(`key=${key.slice(0, 7)}`, true)).toBe(`key=${key.slice(0, 7)}`);
    expect(shown(`key=${key.slice(0, 20)}`)).toBe(`key=${key.slice(0, 20)}`);
  });
});
