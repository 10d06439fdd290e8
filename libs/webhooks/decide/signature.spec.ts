import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newSigningSecret, serviceSignature, standardSignature } from './index.js';

describe('a signing secret', () => {
  it('is whsec_ and the base64 of 32 bytes', () => {
    expect(newSigningSecret(new Uint8Array(32))).toBe('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=');
    expect(Buffer.from(newSigningSecret().slice('whsec_'.length), 'base64')).toHaveLength(32);
  });

  it('is different each time', () => {
    expect(newSigningSecret()).not.toBe(newSigningSecret());
  });
});

describe('the service’s own signature', () => {
  it('is the lower-case hexadecimal HMAC-SHA256 of the body (RFC 4231, test case 2)', () => {
    expect(serviceSignature('Jefe', Buffer.from('what do ya want for nothing?'))).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it('is keyed with the UTF-8 bytes of the secret as shown, prefix included', () => {
    const secret = 'whsec_Zoë+/=';
    const key = Buffer.from(secret, 'utf8');
    expect(serviceSignature(secret, Buffer.from('{}'))).toBe(
      `sha256=${createHmac('sha256', key).update('{}').digest('hex')}`,
    );
  });

  it('is computed from the bytes, not from their text', () => {
    const [one, other] = [Buffer.from([0xff]), Buffer.from([0xfe])];
    expect(one.toString()).toBe(other.toString());
    expect(serviceSignature('s', one)).not.toBe(serviceSignature('s', other));
  });
});

describe('the Standard Webhooks signature', () => {
  it('equals the example in the specification’s reference libraries', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const body = Buffer.from('{"test": 2432232314}');
    expect(standardSignature(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it.each(['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_', ''])(
    'needs a secret of the format whsec_…: not %j',
    secret => {
      expect(() => standardSignature(secret, 'evt_1', 1, Buffer.from('{}'))).toThrow(
        /^A signing secret is whsec_ followed by base64$/,
      );
    },
  );
});
