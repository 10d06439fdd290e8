/** Characters of a token in text of the Latin alphabet. */
const LATIN_CHARACTERS = 4;

/**
 * Estimates the tokens of a streamed text by its characters: one token per four ASCII characters, and one per character
 * of any other script. When the provider reports its own count, that count replaces the estimate.
 */
export class TokenEstimate {
  private latin = 0;
  private other = 0;

  /** Estimated number of tokens so far. */
  get tokens(): number {
    return Math.ceil(this.latin / LATIN_CHARACTERS) + this.other;
  }

  /** Adds a chunk. If its text is unknown (undefined), it counts as one token. */
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
