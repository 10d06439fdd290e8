/** The counts of one key. They may be fractions, because a record may represent several requests. */
export interface Tally<Label> {
  readonly label: Label;
  matched: number;
  changed: number;
  /** Cost of the requests that would be newly refused, in picodollars. */
  picodollars: bigint;
}

/** The sum of several keys. */
export interface OtherKeys {
  keys: number;
  matched: number;
  changed: number;
  picodollars: bigint;
}

/** The keys with the highest counts, and the sum of all other keys. */
export interface TopKeys<Label> {
  readonly top: Tally<Label>[];
  /** The sum of all other keys; undefined if there are none. */
  readonly others: OtherKeys | undefined;
  /**
   * Whether the counts are exact. False if keys were evicted while counting: an evicted key that occurs again may be
   * counted too low.
   */
  readonly isExact: boolean;
}

/** Maximum number of keys in memory: more than 100,000 people, in some tens of megabytes. */
const HELD = 200_000;
/** Maximum number of keys in the result. */
const SHOWN = 100;

/** Counts by key in limited memory. */
export class KeyedCounter<Label> {
  private readonly tallies = new Map<string | null, Tally<Label>>();
  private readonly others: OtherKeys = { keys: 0, matched: 0, changed: 0, picodollars: 0n };

  constructor(private readonly held = HELD) {}

  /** The counts of a key. Add to them before the next {@link shed}. */
  of(key: string | null, label: () => Label): Tally<Label> {
    const known = this.tallies.get(key);
    if (known) return known;
    const tally = { label: label(), matched: 0, changed: 0, picodollars: 0n };
    this.tallies.set(key, tally);
    return tally;
  }

  /** Whether there are more keys than the maximum. Call {@link shed} then. */
  get isFull(): boolean {
    return this.tallies.size > this.held;
  }

  /** Evicts the half of the keys with the lower counts. Their counts remain in the sum of other keys. */
  shed(): void {
    const sorted = [...this.tallies].sort(([, a], [, b]) => byWeight(a, b));
    for (const [key, tally] of sorted.slice(this.held >>> 1)) {
      this.tallies.delete(key);
      addTo(this.others, tally);
    }
  }

  /**
   * The keys with the most changes, then with the most matches. Keys with equal counts are in the order in which they
   * were first counted.
   */
  top(shown = SHOWN): TopKeys<Label> {
    const sorted = [...this.tallies.values()].sort(byWeight);
    const isExact = this.others.keys === 0;
    const others = { ...this.others };
    for (const tally of sorted.slice(shown)) addTo(others, tally);
    return { top: sorted.slice(0, shown), others: others.keys === 0 ? undefined : others, isExact };
  }
}

function byWeight(a: Tally<unknown>, b: Tally<unknown>): number {
  return b.changed - a.changed || b.matched - a.matched;
}

function addTo(others: OtherKeys, { matched, changed, picodollars }: Tally<unknown>): void {
  others.keys++;
  others.matched += matched;
  others.changed += changed;
  others.picodollars += picodollars;
}
