import { DIGEST_WORDS } from './record-piece.js';

/** Number of slots in which a digest may be stored. */
const WAYS = 16;

/**
 * LRU cache of values by digest. Entries are stored in preallocated arrays, so that millions of digests cause no
 * garbage.
 */
export class DigestCache<Value> {
  private readonly sets: number;
  private readonly words: Int32Array;
  /** Time of the last use of each entry. */
  private readonly wantedAt: Float64Array;
  private readonly values: (Value | undefined)[];
  private wanted = 0;

  /** @param kept maximum number of entries; rounded to a power of two, at least sixteen */
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

  /** Stores a value that {@link find} did not find. Evicts the least recently used entry among the possible slots. */
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

  /** Digests are evenly distributed, so some of their bits serve as the slot index. */
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
