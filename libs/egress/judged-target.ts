import type { EgressPurpose } from './addresses/allowed-targets.js';

/** A URL that was checked for a purpose. Only `EgressClient.judge` creates instances. */
export class JudgedTarget {
  // Makes the type nominal, so that an object of the same shape cannot be used as a checked target.
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
