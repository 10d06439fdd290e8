import { hkdfSync } from 'node:crypto';

const ENTRY = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)$/;

/**
 * The keys that encrypt stored secrets and cursors. The first key encrypts; all keys can decrypt. Other code receives
 * only keys that are derived for one purpose (HKDF-SHA-256, RFC 5869).
 */
export class Keyring {
  // A private field of JavaScript, so that inspecting the object does not reveal the keys.
  readonly #entries: readonly { id: string; key: Buffer }[];
  readonly #derived = new Map<string, Buffer>();

  constructor(entries: readonly { id: string; key: Buffer }[]) {
    this.#entries = entries;
  }

  /** Id of the key that encrypts. */
  get writingKeyId(): string {
    return this.#entries[0]?.id ?? '';
  }

  /** Ids of all keys that can decrypt. */
  get keyIds(): string[] {
    return this.#entries.map(entry => entry.id);
  }

  /** A 32-byte key for one purpose; undefined if the key id is unknown. */
  derive(keyId: string, purpose: string): Buffer | undefined {
    const cached = this.#derived.get(`${keyId}/${purpose}`);
    if (cached) return cached;
    const entry = this.#entries.find(candidate => candidate.id === keyId);
    if (!entry) return undefined;
    const key = Buffer.from(hkdfSync('sha256', entry.key, '', purpose, 32));
    this.#derived.set(`${keyId}/${purpose}`, key);
    return key;
  }

  /** Serializing the keyring must not reveal a key. */
  toJSON(): string {
    return `Keyring(${this.keyIds.join(', ')})`;
  }
}

/**
 * Parses `id:base64key[,id:base64key…]`; each key has 32 bytes.
 * @throws Error that identifies the entry by its position, never by its content.
 */
export function parseKeyring(text: string): Keyring {
  const entries = text.split(',').map((part, index) => {
    const match = ENTRY.exec(part.trim());
    const key = match?.[2] === undefined ? undefined : Buffer.from(match[2], 'base64');
    if (!match?.[1] || key?.length !== 32) {
      throw new Error(
        `keys: entry ${index + 1} is not "id:base64 of 32 bytes"; make one with: echo "k1:$(openssl rand -base64 32)"`,
      );
    }
    return { id: match[1], key };
  });
  const ids = new Set(entries.map(entry => entry.id));
  if (ids.size !== entries.length) throw new Error('keys: two entries share one id; give each its own');
  return new Keyring(entries);
}
