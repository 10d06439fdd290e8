/** Characters of a token in text of the Latin alphabet. */
const LATIN_CHARACTERS = 4;

/**
 * Estimates the tokens of a streamed text by its characters: four ASCII characters per token, one of any other script.
 * Providers count differently; their figures replace the estimate.
 */
export class TokenEstimate {
  private latin = 0;
  private other = 0;

  /** Tokens counted so far. */
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
