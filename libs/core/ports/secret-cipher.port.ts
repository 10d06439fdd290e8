/** Where a secret belongs. It is bound into the ciphertext, so that one moved to another row cannot be read there. */
export interface SecretPlace {
  orgId: string;
  /** What keeps the secret, such as `webhooks`. */
  owner: string;
  /** Id of the row that keeps it. */
  ownerId: string;
  /** Which of its secrets, such as `signing_secret`. */
  name: string;
}

/** A secret as it may be stored. */
export interface SealedSecret {
  /** Id of the key that opens it. */
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

  /** The same secret under the writing key; undefined where it is under it already. @throws SecretUnreadableError */
  abstract rewrap(sealed: SealedSecret, place: SecretPlace): Promise<SealedSecret | undefined>;
}
