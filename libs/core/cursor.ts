import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { Clock } from './clock.js';
import { BadRequestError } from './errors.js';
import { canonicalJson } from './json.js';
import { Keyring } from './keyring.js';
import type { Json } from './text.js';

/** The sort key of the last row of a page. */
export type CursorPosition = (string | number | null)[];

/** The content of a cursor. */
export interface OpenedCursor {
  position: CursorPosition;
  /** The count from the first page, so that later pages need not count again. */
  totalCount?: number;
}

interface Sealed {
  p: CursorPosition;
  o: string;
  f: string;
  t: number;
  n?: number;
}

const LIFETIME_MS = 60 * 60 * 1000;
const PURPOSE = 'cursor';
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A digest of a list's name and filters. It binds a cursor to the list that issued it. */
export function digestFilters(list: string, filters: { [key: string]: Json | undefined }): string {
  return createHash('sha256')
    .update(canonicalJson([list, filters]))
    .digest('base64url')
    .slice(0, 16);
}

/**
 * Issues and opens list cursors. A cursor is encrypted with AES-256-GCM. It contains the position, the organization, a
 * digest of the filters and the time of issue. It is valid for one hour, one organization and one set of filters.
 */
export class CursorSealer {
  constructor(
    private readonly keyring: Keyring,
    private readonly clock: Clock,
  ) {}

  /** An opaque text for `next_cursor`. */
  seal(orgId: string, filterDigest: string, cursor: OpenedCursor): string {
    const sealed: Sealed = { p: cursor.position, o: orgId, f: filterDigest, t: this.clock.now().getTime() };
    if (cursor.totalCount !== undefined) sealed.n = cursor.totalCount;
    const keyId = this.keyring.writingKeyId;
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.key(keyId), iv).setAAD(Buffer.from(keyId));
    const body = Buffer.concat([cipher.update(JSON.stringify(sealed), 'utf8'), cipher.final()]);
    return `${keyId}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`;
  }

  /**
   * @throws BadRequestError if the cursor was altered, has expired, or belongs to another organization or other
   * filters.
   */
  open(orgId: string, filterDigest: string, text: string): OpenedCursor {
    const sealed = this.decrypt(text);
    if (sealed?.o !== orgId) throw refuse('is not valid; take next_cursor from the previous page as it is');
    if (this.clock.now().getTime() - sealed.t > LIFETIME_MS) {
      throw refuse('has expired (cursors live one hour); start again without a cursor');
    }
    if (sealed.f !== filterDigest) throw refuse('was made with other filters; repeat them or start without a cursor');
    return sealed.n === undefined ? { position: sealed.p } : { position: sealed.p, totalCount: sealed.n };
  }

  private decrypt(text: string): Sealed | undefined {
    try {
      const dot = text.indexOf('.');
      const keyId = text.slice(0, dot);
      const bytes = Buffer.from(text.slice(dot + 1), 'base64url');
      if (bytes.toString('base64url') !== text.slice(dot + 1)) return undefined;
      const decipher = createDecipheriv(CIPHER, this.key(keyId), bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(keyId))
        .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      const json = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
      // Only `seal()` can create a text with a valid authentication tag, so the type is known.
      return JSON.parse(json) as Sealed;
    } catch {
      return undefined;
    }
  }

  private key(keyId: string): Buffer {
    const key = this.keyring.derive(keyId, PURPOSE);
    if (!key) throw refuse('is not valid; take next_cursor from the previous page as it is');
    return key;
  }
}

function refuse(message: string): BadRequestError {
  return BadRequestError.field('cursor', message);
}
