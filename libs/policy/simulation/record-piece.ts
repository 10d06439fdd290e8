/** Bytes of a digest; it stands in hexadecimal. */
export const DIGEST_BYTES = 16;

const ID_LENGTH = 36;
const RECORD_LENGTH = ID_LENGTH + 2 * DIGEST_BYTES;

/** Some recorded decisions. */
export type RecordPiece = DigestPiece | WholePiece;

/** Some as one text: an id and the digest of a request for each, nothing between them. */
export class DigestPiece {
  constructor(private readonly text: string) {}

  get size(): number {
    return this.text.length / RECORD_LENGTH;
  }

  /** The id of a decision. */
  idAt(place: number): string {
    const begin = place * RECORD_LENGTH;
    return this.text.slice(begin, begin + ID_LENGTH);
  }

  /** The same for equal requests, and for no others. */
  digestAt(place: number): string {
    const begin = place * RECORD_LENGTH + ID_LENGTH;
    return this.text.slice(begin, begin + 2 * DIGEST_BYTES);
  }
}

/** Some with their requests: a line for each, the id in front. */
export class WholePiece {
  private readonly lines: string[];

  constructor(text: string) {
    // JSON text has no line break of its own.
    this.lines = text === '' ? [] : text.split('\n');
  }

  get size(): number {
    return this.lines.length;
  }

  /** The id of a decision. */
  idAt(place: number): string {
    return (this.lines[place] ?? '').slice(0, ID_LENGTH);
  }

  /** What it says, as `readRequest` reads it. */
  requestAt(place: number): string {
    return (this.lines[place] ?? '').slice(ID_LENGTH);
  }
}
