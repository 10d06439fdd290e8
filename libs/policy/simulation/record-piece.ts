/** Number of bytes of a digest. Digests are written in hexadecimal. */
export const DIGEST_BYTES = 16;
/** Number of 32-bit words of a digest. */
export const DIGEST_WORDS = DIGEST_BYTES / 4;
/** Number of hexadecimal digits of a request's size in bytes. */
export const SIZE_DIGITS = 8;

const ID_LENGTH = 36;
const DIGEST_LENGTH = 2 * DIGEST_BYTES;
const HEAD_LENGTH = ID_LENGTH + DIGEST_LENGTH + SIZE_DIGITS;
const WORD_DIGITS = 8;

/** A chunk of records in the form in which PostgreSQL returns it. */
export interface RecordChunk {
  /** The id, the digest and the size of each request, one after another without separators. */
  readonly heads: string;
  /** One line per request; the line of a large request is empty. Undefined if only digests were requested. */
  readonly requests?: string;
}

/** Recorded decisions, accessed by position. */
export class RecordPiece {
  readonly size: number;
  /** Number of records in each chunk. The last chunk may have fewer. */
  private readonly perChunk: number;
  private readonly requests: readonly string[] | undefined;

  constructor(private readonly chunks: readonly RecordChunk[]) {
    this.size = chunks.reduce((sum, { heads }) => sum + heads.length, 0) / HEAD_LENGTH;
    this.perChunk = Math.max(1, (chunks[0]?.heads.length ?? 0) / HEAD_LENGTH);
    // JSON text from PostgreSQL contains no line breaks.
    if (chunks[0]?.requests !== undefined) this.requests = chunks.flatMap(({ requests = '' }) => requests.split('\n'));
  }

  /** The id of a decision. */
  idAt(place: number): string {
    const begin = this.beginOf(place);
    return this.headsOf(place).slice(begin, begin + ID_LENGTH);
  }

  /** The digest. Two digests are equal only if the requests are equal. */
  digestAt(place: number): string {
    const begin = this.beginOf(place) + ID_LENGTH;
    return this.headsOf(place).slice(begin, begin + DIGEST_LENGTH);
  }

  /**
   * The digest as {@link DIGEST_WORDS} numbers. They are written into a given array, because there may be millions of
   * digests.
   */
  readDigest(place: number, words: Int32Array): void {
    const heads = this.headsOf(place);
    let at = this.beginOf(place) + ID_LENGTH;
    for (let word = 0; word < DIGEST_WORDS; word++, at += WORD_DIGITS) words[word] = numberIn(heads, at, WORD_DIGITS);
  }

  /** Size of the request in bytes. */
  bytesAt(place: number): number {
    return numberIn(this.headsOf(place), this.beginOf(place) + ID_LENGTH + DIGEST_LENGTH, SIZE_DIGITS);
  }

  /** The request in the format that `readRequest` parses. Undefined if the chunk does not contain it. */
  requestAt(place: number): string | undefined {
    // An empty line means that the chunk does not contain the request.
    return this.requests?.[place] || undefined;
  }

  /** Total size of all requests in bytes, including those that the chunk does not contain. */
  get bytes(): number {
    let sum = 0;
    for (let place = 0; place < this.size; place++) sum += this.bytesAt(place);
    return sum;
  }

  private headsOf(place: number): string {
    return this.chunks[Math.floor(place / this.perChunk)]?.heads ?? '';
  }

  /** The offset of the position within its chunk. */
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
