import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { inspect } from 'node:util';
import { SecretUnreadableError, type SealedSecret, type SecretCipher, type SecretPlace } from '#core';
import { casesOf, type Closable, type ContractCase } from './contract-case.js';

/** A cipher under test. Created for each case. */
export interface SecretCipherGround extends Closable {
  readonly cipher: SecretCipher;
  /** A cipher with an older key that `cipher` can still read. Omit it if there is only one key. */
  readonly older?: SecretCipher;
}

const PLACE: SecretPlace = { orgId: 'org-1', owner: 'webhooks', ownerId: 'row-1', name: 'signing_secret' };
const TEXT = 'correct horse battery staple';

const RULES: Record<string, (ground: SecretCipherGround) => Promise<void>> = {
  async 'decrypts a sealed secret to the same text'({ cipher }) {
    for (const text of ['', TEXT, '\u0000', 'ünïcödé 🙂', 'x'.repeat(10_000)]) {
      equal(await cipher.decrypt(await cipher.encrypt(text, PLACE), PLACE), text);
    }
  },
  async 'encrypts a text differently each time, and does not show it'({ cipher }) {
    const [one, two] = [await cipher.encrypt(TEXT, PLACE), await cipher.encrypt(TEXT, PLACE)];
    ok(!one.ciphertext.equals(two.ciphertext), 'two ciphertexts differ');
    ok(!one.ciphertext.includes('horse'), 'the ciphertext does not hold the text');
  },
  async 'encrypts with its first key and names that key'({ cipher }) {
    ok(cipher.keyIds.length > 0, 'keyIds names a key');
    equal((await cipher.encrypt(TEXT, PLACE)).keyId, cipher.keyIds[0]);
  },
  async 'refuses a secret that was moved to another row'({ cipher }) {
    const sealed = await cipher.encrypt(TEXT, PLACE);
    for (const field of ['orgId', 'owner', 'ownerId', 'name'] as const) {
      await refused(cipher, sealed, { ...PLACE, [field]: 'another' });
    }
  },
  async 'refuses a secret that was altered or truncated'({ cipher }) {
    const sealed = await cipher.encrypt(TEXT, PLACE);
    const { length } = sealed.ciphertext;
    for (const at of [0, Math.floor(length / 2), length - 1]) {
      const ciphertext = Buffer.from(sealed.ciphertext);
      ciphertext[at] = (ciphertext[at] ?? 0) ^ 1;
      await refused(cipher, { ...sealed, ciphertext });
    }
    await refused(cipher, { ...sealed, ciphertext: sealed.ciphertext.subarray(0, length - 1) });
    await refused(cipher, { ...sealed, ciphertext: Buffer.alloc(0) });
  },
  async 'refuses a key that it does not have'({ cipher }) {
    await refused(cipher, { ...(await cipher.encrypt(TEXT, PLACE)), keyId: 'no-such-key' });
  },
  async 'does not rewrap secrets of its first key'({ cipher }) {
    equal(await cipher.rewrap(await cipher.encrypt(TEXT, PLACE), PLACE), undefined);
  },
  async 'rewraps a secret of an older key to the same text under the first key'({ cipher, older }) {
    if (!older) return;
    const before = await older.encrypt(TEXT, PLACE);
    equal(await cipher.decrypt(before, PLACE), TEXT);
    const after = await cipher.rewrap(before, PLACE);
    ok(after, 'it is rewrapped');
    deepEqual([after.keyId, await cipher.decrypt(after, PLACE)], [cipher.keyIds[0], TEXT]);
  },
};

async function refused(cipher: SecretCipher, sealed: SealedSecret, place = PLACE): Promise<void> {
  await rejects(cipher.decrypt(sealed, place), error => {
    ok(error instanceof SecretUnreadableError, 'it throws SecretUnreadableError');
    ok(!inspect(error).includes('horse'), 'the error does not show the secret');
    return true;
  });
}

/** The contract of `SecretCipher`: the cases that every cipher must pass. `makeGround` is called for each case. */
export function secretCipherContract(
  makeGround: () => Promise<SecretCipherGround> | SecretCipherGround,
): readonly ContractCase[] {
  return casesOf(RULES, makeGround);
}
