import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Keyring, SecretUnreadableError, type SecretPlace } from '#core';
import { EnvelopeCipher } from './envelope-cipher.js';
import { cipherOf, ringOf } from './testing/secret-replica.js';

const PLACE: SecretPlace = {
  orgId: '018f0000-0000-7000-8000-000000000001',
  owner: 'webhooks',
  ownerId: '018f0000-0000-7000-8000-000000000002',
  name: 'signing_secret',
};
const TEXT = 'whsec_correct horse battery staple';
/** Position of the text, which follows the version, nonce, tag and data key. */
const ENVELOPE_END = 1 + 12 + 16 + 32;

describe('a sealed secret', () => {
  const cipher = cipherOf('k1');

  it('opens to the same text, whatever characters it contains', async () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('', '\0', '\ufeffBOM', '🙂'.repeat(5_000)),
    );
    await fc.assert(
      fc.asyncProperty(texts, async text => {
        expect(await cipher.decrypt(await cipher.encrypt(text, PLACE), PLACE)).toBe(text);
      }),
    );
  });

  it('is refused if its text has half a surrogate pair, without showing it', async () => {
    const error: unknown = await cipher.encrypt(`${TEXT}\ud83d`, PLACE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain('horse');
  });

  it('shares no run of 8 bytes with another encryption of the same text', async () => {
    const [one, two] = [await cipher.encrypt(TEXT, PLACE), await cipher.encrypt(TEXT, PLACE)];
    for (let at = 1; at + 8 <= one.ciphertext.length; at++) {
      expect(two.ciphertext.includes(one.ciphertext.subarray(at, at + 8))).toBe(false);
    }
  });

  it('is refused if any bit of any of its bytes is altered', async () => {
    const { keyId, ciphertext } = await cipher.encrypt(TEXT, PLACE);
    await fc.assert(
      fc.asyncProperty(fc.nat(ciphertext.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const altered = Buffer.from(ciphertext);
        altered.writeUInt8(altered.readUInt8(at) ^ change, at);
        await expect(cipher.decrypt({ keyId, ciphertext: altered }, PLACE)).rejects.toThrow(SecretUnreadableError);
      }),
      // The examples alter each byte at least once.
      { examples: Array.from({ length: ciphertext.length }, (_, at) => [at, 1]), numRuns: ciphertext.length + 200 },
    );
  });

  it('is refused if it is truncated or extended anywhere', async () => {
    const { keyId, ciphertext } = await cipher.encrypt(TEXT, PLACE);
    for (let length = 0; length < ciphertext.length; length++) {
      const cut = cipher.decrypt({ keyId, ciphertext: ciphertext.subarray(0, length) }, PLACE);
      await expect(cut).rejects.toThrow(SecretUnreadableError);
    }
    const longer = cipher.decrypt({ keyId, ciphertext: Buffer.concat([ciphertext, Buffer.of(0)]) }, PLACE);
    await expect(longer).rejects.toThrow(SecretUnreadableError);
  });

  it.each([
    ['organization', { orgId: '018f0000-0000-7000-8000-000000000009' }],
    ['owner', { owner: 'connectors' }],
    ['row', { ownerId: '018f0000-0000-7000-8000-000000000009' }],
    ['name', { name: 'previous_signing_secret' }],
  ])('is refused for another %s', async (_what, change) => {
    const sealed = await cipher.encrypt(TEXT, PLACE);
    const moved = { ...PLACE, ...change };
    await expect(cipher.decrypt(sealed, moved)).rejects.toThrow('was altered, or moved here');
    await expect(cipherOf('k2', 'k1').rewrap(sealed, moved)).rejects.toThrow(SecretUnreadableError);
  });

  it('is refused for a place whose parts are equal when concatenated', async () => {
    const at = (owner: string, name: string): SecretPlace => ({ ...PLACE, owner, ownerId: '', name });
    for (const [one, two] of [
      [at('ab', 'c'), at('a', 'bc')],
      [at('a","b', 'c'), at('a', 'b","c')],
      [at('a\0', 'c'), at('a', '\0c')],
      [at('', 'a'), at('a', '')],
    ] as const) {
      await expect(cipher.decrypt(await cipher.encrypt(TEXT, one), two)).rejects.toThrow(SecretUnreadableError);
    }
  });

  it('has its own data key: not even an earlier secret of the same place can be opened with it', async () => {
    const [one, two] = [await cipher.encrypt(TEXT, PLACE), await cipher.encrypt(TEXT, PLACE)];
    const mixed = Buffer.concat([one.ciphertext.subarray(0, ENVELOPE_END), two.ciphertext.subarray(ENVELOPE_END)]);
    await expect(cipher.decrypt({ keyId: 'k1', ciphertext: mixed }, PLACE)).rejects.toThrow(SecretUnreadableError);
  });

  it('is refused under the id of another key, also of one with the same bytes', async () => {
    const key = Buffer.alloc(32, 7);
    const twins = new EnvelopeCipher(
      new Keyring([
        { id: 'a', key },
        { id: 'b', key },
      ]),
    );
    const { ciphertext } = await twins.encrypt(TEXT, PLACE);
    await expect(twins.decrypt({ keyId: 'b', ciphertext }, PLACE)).rejects.toThrow(SecretUnreadableError);
  });

  it('names the missing key', async () => {
    const sealed = await cipher.encrypt(TEXT, PLACE);
    const refusal = cipherOf('k2').decrypt(sealed, PLACE);
    await expect(refusal).rejects.toThrow(
      `The signing_secret of webhooks ${PLACE.ownerId} cannot be read: it was sealed under the key "k1", which is not at hand`,
    );
  });
});

describe('rotating keys', () => {
  it('encrypts with the first key and decrypts with all', async () => {
    const [old, both] = [cipherOf('k1'), cipherOf('k2', 'k1')];
    expect(both.keyIds).toEqual(['k2', 'k1']);
    expect(await both.decrypt(await old.encrypt(TEXT, PLACE), PLACE)).toBe(TEXT);
    const fresh = await both.encrypt(TEXT, PLACE);
    expect(fresh.keyId).toBe('k2');
    await expect(old.decrypt(fresh, PLACE)).rejects.toThrow(SecretUnreadableError);
  });

  it('encrypts the data key again and keeps the encrypted secret', async () => {
    const sealed = await cipherOf('k1').encrypt(TEXT, PLACE);
    const rewrapped = await cipherOf('k2', 'k1').rewrap(sealed, PLACE);
    if (!rewrapped) throw new Error('nothing was done');
    expect(rewrapped.keyId).toBe('k2');
    expect(await cipherOf('k2').decrypt(rewrapped, PLACE)).toBe(TEXT);
    expect(rewrapped.ciphertext.subarray(ENVELOPE_END)).toEqual(sealed.ciphertext.subarray(ENVELOPE_END));
    expect(rewrapped.ciphertext.subarray(1, ENVELOPE_END)).not.toEqual(sealed.ciphertext.subarray(1, ENVELOPE_END));
  });

  it('does not change secrets under the writing key', async () => {
    const both = cipherOf('k2', 'k1');
    expect(await both.rewrap(await both.encrypt(TEXT, PLACE), PLACE)).toBeUndefined();
  });

  it('finds an altered secret, also if only the secret and not its data key was altered', async () => {
    const { keyId, ciphertext } = await cipherOf('k1').encrypt(TEXT, PLACE);
    const altered = Buffer.from(ciphertext);
    altered.writeUInt8(altered.readUInt8(altered.length - 1) ^ 1, altered.length - 1);
    const refusal = cipherOf('k2', 'k1').rewrap({ keyId, ciphertext: altered }, PLACE);
    await expect(refusal).rejects.toThrow(SecretUnreadableError);
  });
});

describe('the cipher', () => {
  it('shows no key in any printed form', async () => {
    const cipher = cipherOf('k1');
    await cipher.encrypt(TEXT, PLACE);
    const keys = [ringOf('k1').derive('k1', 'secrets'), ringOf('k1').derive('k1', 'cursor')];
    const printed = inspect(cipher, { showHidden: true, depth: 20, maxArrayLength: null }) + JSON.stringify(cipher);
    expect(printed).not.toMatch(/Buffer|Uint8Array|"data":/);
    for (const key of keys) expect(printed).not.toContain(key?.toString('hex'));
  });

  it('quotes neither text nor key in its errors', async () => {
    const sealed = await cipherOf('k1').encrypt(TEXT, PLACE);
    const moved = { ...PLACE, name: 'other' };
    const errors = await Promise.all(
      [cipherOf('k1').decrypt(sealed, moved), cipherOf('k2').decrypt(sealed, PLACE)].map(refused =>
        refused.then(
          () => 'read',
          (error: unknown) => error,
        ),
      ),
    );
    for (const error of errors) {
      expect(error).toBeInstanceOf(SecretUnreadableError);
      const printed = inspect(error, { showHidden: true, depth: 20 }) + JSON.stringify(error);
      expect(printed).not.toContain('horse');
      expect(printed).not.toContain('Buffer');
    }
  });
});
