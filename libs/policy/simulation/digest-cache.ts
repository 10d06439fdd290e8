import { DIGEST_WORDS } from './record-piece.js';

/** Places that a digest may be kept at. */
const WAYS = 16;

/**
 * Keeps values by digest: of many, those that were wanted last. What is kept stands in arrays that are made once, so that
 * millions of digests leave nothing behind to be collected.
 */
export class DigestCache<Value> {
  private readonly sets: number;
  private readonly words: Int32Array;
  /** When each was wanted last. */
  private readonly wantedAt: Float64Array;
  private readonly values: (Value | undefined)[];
  private wanted = 0;

  /** @param kept how many are kept at most; rounded to a power of two, sixteen at least */
  constructor(kept: number) {
    this.sets = 2 ** Math.max(0, Math.round(Math.log2(kept / WAYS)));
    const places = this.sets * WAYS;
    this.words = new Int32Array(places * DIGEST_WORDS);
    this.wantedAt = new Float64Array(places);
    this.values = Array.from({ length: places }, () => undefined);
  }

  find(digest: Int32Array): Value | undefined {
    const first = this.firstPlace(digest);
    for (let place = first; place < first + WAYS; place++) {
      if (!this.isAt(place, digest)) continue;
      this.wantedAt[place] = ++this.wanted;
      return this.values[place];
    }
    return undefined;
  }

  /** Keeps a value that {@link find} has not found; of those that share its places, the one longest unwanted goes. */
  keep(digest: Int32Array, value: Value): void {
    const first = this.firstPlace(digest);
    let oldest = first;
    for (let place = first + 1; place < first + WAYS; place++) {
      if ((this.wantedAt[place] ?? 0) < (this.wantedAt[oldest] ?? 0)) oldest = place;
    }
    this.words.set(digest, oldest * DIGEST_WORDS);
    this.wantedAt[oldest] = ++this.wanted;
    this.values[oldest] = value;
  }

  /** Digests are evenly distributed, so some bits of one say where it belongs. */
  private firstPlace(digest: Int32Array): number {
    return ((digest[0] ?? 0) & (this.sets - 1)) * WAYS;
  }

  private isAt(place: number, digest: Int32Array): boolean {
    for (let word = 0; word < DIGEST_WORDS; word++) {
      if (this.words[place * DIGEST_WORDS + word] !== digest[word]) return false;
    }
    return this.values[place] !== undefined;
  }
}
