/** Characters of a token in text of the Latin alphabet. */
const LATIN_CHARACTERS = 4;

/**
 * Counts the tokens of a text that comes in pieces, by its characters: four of ASCII to a token, and one of any other
 * script. Providers count differently; their own figures replace the estimate.
 */
export class TokenEstimate {
  private latin = 0;
  private other = 0;

  /** Tokens so far. */
  get tokens(): number {
    return Math.ceil(this.latin / LATIN_CHARACTERS) + this.other;
  }

  /** Adds a chunk. Undefined is a chunk whose text is unknown; it counts as one token. */
  add(text: string | undefined): void {
    if (text === undefined) {
      this.other++;
      return;
    }
    for (let at = 0; at < text.length; at++) {
      if (text.charCodeAt(at) > 0x7f) this.other++;
      else this.latin++;
    }
  }
}
