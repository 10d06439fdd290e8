import type { EgressPurpose } from './addresses/allowed-targets.js';

/** A URL that was found permitted for a purpose. Made by `EgressClient.judge` alone. */
export class JudgedTarget {
  // Makes the type nominal: an object of the same shape was judged by nobody.
  readonly #judged = true;

  constructor(
    readonly purpose: EgressPurpose,
    /** `https://host` or `https://host:port`. */
    readonly origin: string,
    /** Path and query. */
    readonly path: string,
  ) {}

  get isJudged(): boolean {
    return this.#judged;
  }
}
