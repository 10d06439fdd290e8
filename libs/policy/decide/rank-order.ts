/* oxlint-disable typescript/no-non-null-assertion -- every index is within bounds by construction, and this is the hot loop */
import { lowestBit } from './position-set.js';

/**
 * Up to this number, ranks are sorted by insertion. A larger number of ranks is marked in a bit set, which is then read
 * in order.
 */
const FEW = 16;

/** The ranks of the given positions, in ascending order. Reuses the list. Long lists are not sorted by comparison. */
export function ranksInOrder(positions: number[], rankAt: Int32Array): number[] {
  const ranks = positions;
  const many = positions.length > FEW;
  const marks = many ? new Int32Array((rankAt.length + 31) >>> 5) : undefined;
  for (let at = 0; at < positions.length; at++) {
    const rank = rankAt[positions[at]!]!;
    if (marks) marks[rank >>> 5]! |= 1 << (rank & 31);
    else insert(ranks, at, rank);
  }
  return marks ? read(marks, ranks) : ranks;
}

function insert(sorted: number[], length: number, rank: number): void {
  let at = length;
  for (; at > 0 && sorted[at - 1]! > rank; at--) sorted[at] = sorted[at - 1]!;
  sorted[at] = rank;
}

function read(marks: Int32Array, into: number[]): number[] {
  let next = 0;
  for (let word = 0; word < marks.length; word++) {
    for (let bits = marks[word]!; bits !== 0; bits &= bits - 1) into[next++] = (word << 5) | lowestBit(bits);
  }
  return into;
}
