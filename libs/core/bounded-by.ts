/**
 * Options of an `LRUCache` that holds at most `entries` entries. The option `max` would allocate space for all entries
 * at once: 2.8 MB and 15 ms for 100,000.
 */
export function boundedBy(entries: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: entries, sizeCalculation: one };
}

const one = (): number => 1;
