/** Bytes of a digest; it stands in hexadecimal. */
export const DIGEST_BYTES = 16;

const ID_LENGTH = 36;
const RECORD_LENGTH = ID_LENGTH + 2 * DIGEST_BYTES;

/** Some recorded decisions, as one text: an id and the digest of a request for each, nothing between them. */
export class RecordPiece {
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
