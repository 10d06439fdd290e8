/**
 * The owner of a secret. It is bound to the ciphertext, so a ciphertext that was moved to another record cannot be
 * decrypted.
 */
export interface SecretPlace {
  orgId: string;
  /** Kind of record that owns the secret, such as `webhooks`. */
  owner: string;
  /** Id of the record that owns the secret. */
  ownerId: string;
  /** Name of the secret, such as `signing_secret`. */
  name: string;
}

/** An encrypted secret. */
export interface SealedSecret {
  /** Id of the key that decrypts the secret. */
  keyId: string;
  ciphertext: Buffer;
}

/** The secret was altered, moved to another place, or encrypted with an unavailable key. */
export class SecretUnreadableError extends Error {
  constructor(place: SecretPlace, reason: string) {
    super(`The ${place.name} of ${place.owner} ${place.ownerId} cannot be read: ${reason}`);
    this.name = 'SecretUnreadableError';
  }
}

/**
 * Encrypts secrets before they are stored. The default uses envelope encryption: one key per secret, wrapped by the
 * keyring. A host may use a key management service instead.
 */
export abstract class SecretCipher {
  /**
   * Ids of the available keys; the first one encrypts. Read at boot, which fails if a stored secret needs another key.
   */
  abstract readonly keyIds: readonly string[];

  /** Encrypts a text with the first key. Two calls must give different ciphertexts. */
  abstract encrypt(plaintext: string, place: SecretPlace): Promise<SealedSecret>;

  /** Decrypts a secret. May be called often; the caller caches the result for a while. @throws SecretUnreadableError */
  abstract decrypt(sealed: SealedSecret, place: SecretPlace): Promise<string>;

  /** Re-encrypts a secret with the first key; undefined if it already uses that key. @throws SecretUnreadableError */
  abstract rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined>;
}
