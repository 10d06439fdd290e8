/**
 * The owner of a secret. Bound into the ciphertext, so a ciphertext that was moved to another record cannot be read.
 */
export interface SecretPlace {
  orgId: string;
  /** Kind of record that owns the secret, such as `webhooks`. */
  owner: string;
  /** Id of the record that owns the secret. */
  ownerId: string;
  /** Which of its secrets, such as `signing_secret`. */
  name: string;
}

/** A secret as it may be stored. */
export interface SealedSecret {
  /** Id of the key that decrypts the secret. */
  keyId: string;
  ciphertext: Buffer;
}

/** The secret was altered, moved to another place, or sealed under a key that is not at hand. */
export class SecretUnreadableError extends Error {
  constructor(place: SecretPlace, reason: string) {
    super(`The ${place.name} of ${place.owner} ${place.ownerId} cannot be read: ${reason}`);
    this.name = 'SecretUnreadableError';
  }
}

/**
 * Seals secrets before they are stored. The default wraps a key per secret under the keyring (envelope encryption);
 * a host may put a key management service in its place.
 */
export abstract class SecretCipher {
  /** Ids of the keys that can be read, the one that writes first. Asked at boot: a stored secret under another id stops it. */
  abstract readonly keyIds: readonly string[];

  /** Seals a text under the writing key. Called when a secret is made or given; two calls give different ciphertexts. */
  abstract encrypt(plaintext: string, place: SecretPlace): Promise<SealedSecret>;

  /** The text. May be called often; what it returned is kept in memory for a while. @throws SecretUnreadableError */
  abstract decrypt(sealed: SealedSecret, place: SecretPlace): Promise<string>;

  /** The same secret under the writing key; undefined if it already is. @throws SecretUnreadableError */
  abstract rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined>;
}
