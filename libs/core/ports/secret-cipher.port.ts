/**
 * The owner of a secret. The owner is bound to the ciphertext: if the ciphertext is copied to another record, it cannot
 * be decrypted.
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
   * Ids of the available keys; the first one encrypts. Read at boot. The boot fails if a stored secret needs a key that
   * is missing.
   */
  abstract readonly keyIds: readonly string[];

  /** Encrypts a text with the first key. Two calls with the same text must return different ciphertexts. */
  abstract encrypt(plaintext: string, place: SecretPlace): Promise<SealedSecret>;

  /**
   * Decrypts a secret. Callers cache the result for a while, but may call this often.
   * @throws SecretUnreadableError
   */
  abstract decrypt(sealed: SealedSecret, place: SecretPlace): Promise<string>;

  /**
   * Re-encrypts a secret with the first key; undefined if the secret already uses that key.
   * @throws SecretUnreadableError
   */
  abstract rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined>;
}
