import type { PresentValue } from './condition-operator.port.js';
import type { PositionSet, PositionSpace } from './position-set.js';
import type { Predicate } from './predicate.js';

/** Positions of the policies that have the same requirement on one attribute. */
export interface Group {
  readonly predicate: Predicate;
  readonly positions: readonly number[];
}

/**
 * The index over one attribute. For each value, it has the set of policies that this attribute does not exclude. All
 * values that no condition contains share one set. Other sets are computed on first use and cached. If there are more
 * than `capacity`, the oldest set is evicted.
 */
export class Column {
  private readonly missing: PositionSet;
  private readonly unnamed: PositionSet;
  private readonly named = new Map<PresentValue, Group[]>();
  private readonly scanned: Group[] = [];
  private readonly seen = new Map<PresentValue, PositionSet>();

  constructor(
    private readonly space: PositionSpace,
    groups: readonly Group[],
    private readonly capacity: number,
  ) {
    this.missing = space.full();
    this.unnamed = space.full();
    for (const group of groups) this.insert(group);
  }

  /**
   * The policies that the value does not exclude. Null and undefined count as missing. The set is shared, so do not
   * change it.
   */
  allowedBy(value: unknown): PositionSet {
    if (value === undefined || value === null) return this.missing;
    // A present value is looked up unchanged. Only strings, numbers and booleans are cached.
    const present = value as PresentValue;
    return this.seen.get(present) ?? this.firstSight(present);
  }

  private insert(group: Group): void {
    const { predicate, positions } = group;
    if (!predicate.whenMissing) for (const position of positions) this.space.remove(this.missing, position);
    if (!predicate.otherwise) for (const position of positions) this.space.remove(this.unnamed, position);
    if (!predicate.named) this.scanned.push(group);
    else for (const value of new Set(predicate.named)) this.name(value, group);
  }

  private name(value: PresentValue, group: Group): void {
    if (group.predicate.test(value) === group.predicate.otherwise) return;
    const groups = this.named.get(value);
    if (groups) groups.push(group);
    else this.named.set(value, [group]);
  }

  private firstSight(value: PresentValue): PositionSet {
    const named = this.named.get(value);
    if (!named && this.scanned.length === 0) return this.unnamed;
    const set = this.unnamed.slice();
    for (const { predicate, positions } of named ?? []) {
      for (const position of positions) {
        if (predicate.otherwise) this.space.remove(set, position);
        else this.space.add(set, position);
      }
    }
    for (const { predicate, positions } of this.scanned) {
      if (predicate.test(value)) for (const position of positions) this.space.add(set, position);
    }
    if (typeof value !== 'object') this.keep(value, set);
    return set;
  }

  private keep(value: PresentValue, set: PositionSet): void {
    if (this.seen.size >= this.capacity) {
      for (const oldest of this.seen.keys()) {
        this.seen.delete(oldest);
        break;
      }
    }
    this.seen.set(value, set);
  }
}
