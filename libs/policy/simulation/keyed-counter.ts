/** What was counted under one key. Counts may be fractions, where records stand for several requests. */
export interface Tally<Label> {
  readonly label: Label;
  matched: number;
  changed: number;
  /** What the requests that would be refused have cost, in picodollars. */
  picodollars: bigint;
}

/** Several keys together. */
export interface OtherKeys {
  keys: number;
  matched: number;
  changed: number;
  picodollars: bigint;
}

/** The keys that were counted most, and the sum of the others. */
export interface TopKeys<Label> {
  readonly top: Tally<Label>[];
  /** Undefined where there are none. */
  readonly others: OtherKeys | undefined;
  /** False where keys had to be given up while counting: then one that came again may be counted too low. */
  readonly isExact: boolean;
}

/** So many keys are held: 100,000 people and more, in some tens of megabytes. */
const HELD = 200_000;
/** So many are shown. */
const SHOWN = 100;

/** Counts by key, in bounded memory. */
export class KeyedCounter<Label> {
  private readonly tallies = new Map<string | null, Tally<Label>>();
  private readonly others: OtherKeys = { keys: 0, matched: 0, changed: 0, picodollars: 0n };

  constructor(private readonly held = HELD) {}

  /** The counts of a key, to be added to at once or before {@link shed}. */
  of(key: string | null, label: () => Label): Tally<Label> {
    const known = this.tallies.get(key);
    if (known) return known;
    const tally = { label: label(), matched: 0, changed: 0, picodollars: 0n };
    this.tallies.set(key, tally);
    return tally;
  }

  /** Whether there are more keys than are to be held: {@link shed} then. */
  get isFull(): boolean {
    return this.tallies.size > this.held;
  }

  /** Gives up the lesser half of the keys; their counts stay in the sum of the others. */
  shed(): void {
    const sorted = [...this.tallies].sort(([, a], [, b]) => byWeight(a, b));
    for (const [key, tally] of sorted.slice(this.held >>> 1)) {
      this.tallies.delete(key);
      addTo(this.others, tally);
    }
  }

  /** The keys with the most changes, then matches; of equals, the first ones counted. */
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
