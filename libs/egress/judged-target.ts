import type { EgressPurpose } from './addresses/allowed-targets.js';

/** A URL that was found permitted for a purpose. Made by `EgressClient.judge` alone. */
export class JudgedTarget {
  // Makes the type nominal, so that an object of the same shape cannot pass for a target that was checked.
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
