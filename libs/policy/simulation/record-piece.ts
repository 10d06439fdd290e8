/** Bytes of a digest; it stands in hexadecimal. */
export const DIGEST_BYTES = 16;
/** Words of 32 bits in a digest. */
export const DIGEST_WORDS = DIGEST_BYTES / 4;
/** Hexadecimal digits that say how many bytes a request has. */
export const SIZE_DIGITS = 8;

const ID_LENGTH = 36;
const DIGEST_LENGTH = 2 * DIGEST_BYTES;
const HEAD_LENGTH = ID_LENGTH + DIGEST_LENGTH + SIZE_DIGITS;
const WORD_DIGITS = 8;

/** Some records of a piece, as PostgreSQL gives them. */
export interface RecordChunk {
  /** An id, the digest of a request and its size for each, nothing between them. */
  readonly heads: string;
  /** A line for each: the request, or nothing where it is large. Missing where digests only were asked for. */
  readonly requests?: string;
}

/** Some recorded decisions, each at its place. */
export class RecordPiece {
  readonly size: number;
  /** Records of a chunk; the last one may have fewer. */
  private readonly perChunk: number;
  private readonly requests: readonly string[] | undefined;

  constructor(private readonly chunks: readonly RecordChunk[]) {
    this.size = chunks.reduce((sum, { heads }) => sum + heads.length, 0) / HEAD_LENGTH;
    this.perChunk = Math.max(1, (chunks[0]?.heads.length ?? 0) / HEAD_LENGTH);
    // JSON text has no line break of its own.
    if (chunks[0]?.requests !== undefined) this.requests = chunks.flatMap(({ requests = '' }) => requests.split('\n'));
  }

  /** The id of a decision. */
  idAt(place: number): string {
    const begin = this.beginOf(place);
    return this.headsOf(place).slice(begin, begin + ID_LENGTH);
  }

  /** The same for equal requests, and for no others. */
  digestAt(place: number): string {
    const begin = this.beginOf(place) + ID_LENGTH;
    return this.headsOf(place).slice(begin, begin + DIGEST_LENGTH);
  }

  /** The digest as {@link DIGEST_WORDS} numbers. They are written into an array, for there may be millions. */
  readDigest(place: number, words: Int32Array): void {
    const heads = this.headsOf(place);
    let at = this.beginOf(place) + ID_LENGTH;
    for (let word = 0; word < DIGEST_WORDS; word++, at += WORD_DIGITS) words[word] = numberIn(heads, at, WORD_DIGITS);
  }

  /** How large the request is, in bytes. */
  bytesAt(place: number): number {
    return numberIn(this.headsOf(place), this.beginOf(place) + ID_LENGTH + DIGEST_LENGTH, SIZE_DIGITS);
  }

  /** What the decision says, as `readRequest` reads it; undefined where the piece does not bring it. */
  requestAt(place: number): string | undefined {
    // An empty line stands for one that is missing.
    return this.requests?.[place] || undefined;
  }

  /** How large all requests are together, in bytes, whether the piece brings them or not. */
  get bytes(): number {
    let sum = 0;
    for (let place = 0; place < this.size; place++) sum += this.bytesAt(place);
    return sum;
  }

  private headsOf(place: number): string {
    return this.chunks[Math.floor(place / this.perChunk)]?.heads ?? '';
  }

  /** Where the place is in its chunk. */
  private beginOf(place: number): number {
    return (place % this.perChunk) * HEAD_LENGTH;
  }
}

function numberIn(text: string, begin: number, digits: number): number {
  let number = 0;
  for (let at = begin; at < begin + digits; at++) number = (number << 4) | digitOf(text.charCodeAt(at));
  return number;
}

/** The value of a hexadecimal digit in lower case. */
function digitOf(code: number): number {
  return code <= 57 ? code - 48 : code - 87;
}
