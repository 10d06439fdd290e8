/* oxlint-disable typescript/no-non-null-assertion -- every index is within bounds by construction, and this is the hot loop */

/**
 * A set of positions 0 … size-1 as bits. Before the words of 32 positions, there is one summary bit per word. An
 * intersection visits only words that are not empty in any set.
 */
export type PositionSet = Int32Array;

/** The common size and layout of all sets over the same positions. */
export class PositionSpace {
  private readonly summaries: number;
  private readonly length: number;

  constructor(readonly size: number) {
    const words = Math.ceil(size / 32);
    this.summaries = Math.ceil(words / 32);
    this.length = this.summaries + words;
  }

  /** Number of bytes of one set. */
  get bytes(): number {
    return this.length * Int32Array.BYTES_PER_ELEMENT;
  }

  empty(): PositionSet {
    return new Int32Array(this.length);
  }

  full(): PositionSet {
    const set = this.empty();
    for (let position = 0; position < this.size; position++) this.add(set, position);
    return set;
  }

  add(set: PositionSet, position: number): void {
    const word = position >>> 5;
    set[this.summaries + word]! |= 1 << (position & 31);
    set[word >>> 5]! |= 1 << (word & 31);
  }

  remove(set: PositionSet, position: number): void {
    const word = position >>> 5;
    const rest = (set[this.summaries + word]! &= ~(1 << (position & 31)));
    if (rest === 0) set[word >>> 5]! &= ~(1 << (word & 31));
  }

  /**
   * The positions that all sets contain, in ascending order, at most the first `limit`. At least one set is required.
   */
  intersect(sets: readonly PositionSet[], limit = Infinity): number[] {
    const [lead] = sets as [PositionSet];
    const count = sets.length;
    const { summaries } = this;
    const found: number[] = [];
    for (let group = 0; group < summaries; group++) {
      let live = lead[group]!;
      for (let other = 1; other < count; other++) live &= sets[other]![group]!;
      for (; live !== 0; live &= live - 1) {
        const word = (group << 5) | lowestBit(live);
        let bits = lead[summaries + word]!;
        for (let other = 1; other < count; other++) bits &= sets[other]![summaries + word]!;
        for (; bits !== 0; bits &= bits - 1) {
          if (found.push((word << 5) | lowestBit(bits)) === limit) return found;
        }
      }
    }
    return found;
  }
}

/** The position of the lowest set bit. The argument must not be 0. */
export function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
