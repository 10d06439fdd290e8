import { randomBytes } from 'node:crypto';

/** Where a canary was found, and in which encoding. */
export interface Sighting {
  /** The kind of secret, such as `password of ServiceNow`. */
  kind: string;
  spelling: string;
}

/** The marker with which every private key begins. No output may contain it. */
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY/;

/** Unique secrets that are used instead of real ones, and that can be found again in any encoding. */
export class Canaries {
  private readonly spellings = new Map<string, Sighting>();
  private readonly planted = new Set<string>();

  /** The kinds of secrets in use, in order. */
  get kinds(): readonly string[] {
    return [...this.planted];
  }

  /** Creates a secret of a kind. */
  make(kind: string, prefix = '', bytes = 20): string {
    return this.add(kind, prefix + randomBytes(bytes).toString('hex'));
  }

  /** Adds a secret that was created elsewhere. */
  add(kind: string, secret: string): string {
    if (secret.length < 16) throw new Error(`${kind}: a canary must be long enough to be unique`);
    this.planted.add(kind);
    for (const [spelling, text] of spellingsOf(secret)) {
      if (!this.spellings.has(text)) this.spellings.set(text, { kind, spelling });
    }
    return secret;
  }

  /** The canaries in a text. */
  in(text: string): Sighting[] {
    const found = [...this.spellings].filter(([spelling]) => text.includes(spelling)).map(([, sighting]) => sighting);
    return PRIVATE_KEY.test(text) ? [...found, { kind: 'private key', spelling: 'PEM' }] : found;
  }
}

/** The encodings of a secret. */
function spellingsOf(secret: string): [spelling: string, text: string][] {
  const bytes = Buffer.from(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    ['plain', secret],
    ['reversed case', secret === secret.toLowerCase() ? secret.toUpperCase() : secret.toLowerCase()],
    ['JSON', json],
    ['URL', encodeURIComponent(secret)],
    ['form', new URLSearchParams({ v: secret }).toString().slice(2)],
    ['hex', bytes.toString('hex')],
    ['HEX', bytes.toString('hex').toUpperCase()],
    ...[0, 1, 2].flatMap((offset): [string, string][] => {
      const text = base64Within(bytes, offset);
      return [
        ['base64', text],
        ['base64url', text.replaceAll('+', '-').replaceAll('/', '_')],
      ];
    }),
  ];
}

/**
 * The base64 characters of bytes that begin at a given offset. Leaves out characters that depend on neighboring bytes.
 */
function base64Within(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const first = Math.ceil((offset * 8) / 6);
  // The last character may contain bits of the next byte.
  return text.slice(first, Math.floor(((offset + bytes.length) * 8) / 6));
}
