import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Keyring, SecretCipher, SecretUnreadableError, type SealedSecret, type SecretPlace } from '#core';
import { bindingOf } from './place.js';
import { BOX_OVERHEAD, openBox, sealBox } from './sealed-box.js';

/** Purpose for which wrapping keys are derived from the keyring. */
const PURPOSE = 'secrets';
const VERSION = 1;
const DATA_KEY_BYTES = 32;
const WRAPPED_END = 1 + BOX_OVERHEAD + DATA_KEY_BYTES;

/**
 * Envelope encryption with the keyring. Each secret has its own data key, and a key of the keyring encrypts the data
 * key. A ciphertext consists of a version byte, the encrypted data key and the encrypted secret. The data key is bound
 * to version, key id and place; the secret is bound to version and place. A rewrap encrypts only the data key again;
 * the encrypted secret stays unchanged.
 */
@Injectable()
export class EnvelopeCipher extends SecretCipher {
  readonly #keyring: Keyring;

  constructor(keyring: Keyring) {
    super();
    this.#keyring = keyring;
  }

  override get keyIds(): readonly string[] {
    return this.#keyring.keyIds;
  }

  /** @throws TypeError if the text contains an unpaired surrogate, because decryption could not restore it */
  override async encrypt(plaintext: string, place: SecretPlace): Promise<SealedSecret> {
    if (!plaintext.isWellFormed()) throw new TypeError('a secret must be well-formed Unicode text');
    const dataKey = randomBytes(DATA_KEY_BYTES);
    const content = Buffer.from(plaintext, 'utf8');
    const sealed = this.wrap(dataKey, sealBox(dataKey, secretBinding(place), content), place);
    dataKey.fill(0);
    content.fill(0);
    return sealed;
  }

  override async decrypt(sealed: SealedSecret, place: SecretPlace): Promise<string> {
    const { dataKey, content } = this.open(sealed, place);
    const plaintext = content.toString('utf8');
    dataKey.fill(0);
    content.fill(0);
    return plaintext;
  }

  override async rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined> {
    if (sealed.keyId === this.#keyring.writingKeyId) return undefined;
    // Decrypts the secret too, so that tampering is detected now instead of at the next use.
    const { dataKey, content } = this.open(sealed, place);
    const rewrapped = this.wrap(dataKey, sealed.ciphertext.subarray(WRAPPED_END), place);
    dataKey.fill(0);
    content.fill(0);
    return rewrapped;
  }

  private wrap(dataKey: Buffer, box: Buffer, place: SecretPlace): SealedSecret {
    const keyId = this.#keyring.writingKeyId;
    const key = this.#keyring.derive(keyId, PURPOSE);
    if (!key) throw new Error('keys: the keyring is empty; give it a key');
    const wrapped = sealBox(key, wrapBinding(keyId, place), dataKey);
    return { keyId, ciphertext: Buffer.concat([Buffer.of(VERSION), wrapped, box]) };
  }

  private open({ keyId, ciphertext }: SealedSecret, place: SecretPlace): { dataKey: Buffer; content: Buffer } {
    const key = this.#keyring.derive(keyId, PURPOSE);
    if (!key) throw new SecretUnreadableError(place, `it was sealed under the key "${keyId}", which is not at hand`);
    if (ciphertext[0] !== VERSION) throw new SecretUnreadableError(place, 'it is in no format that is known here');
    const dataKey = openBox(key, wrapBinding(keyId, place), ciphertext.subarray(1, WRAPPED_END));
    const content = dataKey && openBox(dataKey, secretBinding(place), ciphertext.subarray(WRAPPED_END));
    if (!content) throw new SecretUnreadableError(place, 'it was altered, or moved here from another place');
    return { dataKey, content };
  }
}

function wrapBinding(keyId: string, place: SecretPlace): Buffer {
  return bindingOf(`data key v${VERSION}`, place, keyId);
}

function secretBinding(place: SecretPlace): Buffer {
  return bindingOf(`secret v${VERSION}`, place);
}
