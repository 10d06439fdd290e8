import { isAllowed, type Outcome } from './comparison.js';
import type { JudgedRequest, RequestKeys } from './judged-requests.js';
import { KeyedCounter, type Tally } from './keyed-counter.js';

/** Maximum number of changed decisions that the report shows in full. */
const SAMPLE = 20;
const MICRO = 1_000_000;

/** A request that the current policies allow and the draft refuses. Its cost must be added. */
export interface RefusedRequest {
  readonly decisionId: string;
  readonly weight: number;
  readonly tallies: readonly Tally<unknown>[];
}

/** Counts the outcomes of evaluated decisions in limited memory. */
export class SimulationTally {
  /** Number of evaluated records. */
  records = 0;
  evaluated = 0;
  matched = 0;
  changed = 0;
  newlyRefused = 0;
  newlyAllowed = 0;
  picodollars = 0n;
  readonly before = countsOfNone();
  readonly after = countsOfNone();
  readonly users: KeyedCounter<{ userId: string | null; userEmail: string | null }>;
  readonly departments: KeyedCounter<string | null>;
  readonly models: KeyedCounter<string>;
  /** Ids of the changed decisions that were counted first. */
  readonly sample: string[] = [];

  /**
   * @param isEstimated whether decisions may be missing, or some records represent more than one decision
   * @param held maximum number of people, departments and models with separate counts. Default: that of {@link
   * KeyedCounter}
   */
  constructor(
    public isEstimated: boolean,
    held?: number,
  ) {
    this.users = new KeyedCounter(held);
    this.departments = new KeyedCounter(held);
    this.models = new KeyedCounter(held);
  }

  /**
   * Counts one decision. Its id is used only if the request has keys. If the decision would be newly refused, returns
   * the counts to which its cost must be added.
   */
  add({ outcome, weight, keys }: JudgedRequest, decisionId: string): readonly Tally<unknown>[] | undefined {
    const { before, after, isMatched } = outcome;
    this.records++;
    this.evaluated += weight;
    this.before[before] += weight;
    this.after[after] += weight;
    if (weight !== 1) this.isEstimated = true;
    if (!keys) return undefined;
    const isChanged = before !== after;
    if (isChanged && this.sample.length < SAMPLE) this.sample.push(decisionId);
    const tallies = this.talliesOf(keys);
    for (const tally of [this, ...tallies]) {
      if (isMatched) tally.matched += weight;
      if (isChanged) tally.changed += weight;
    }
    if (isAllowed(before) && !isAllowed(after)) {
      this.newlyRefused += weight;
      return tallies;
    }
    if (!isAllowed(before) && isAllowed(after)) this.newlyAllowed += weight;
    return undefined;
  }

  /** Adds the costs of refused requests, by the ids of their decisions. */
  addCosts(refused: readonly RefusedRequest[], costs: ReadonlyMap<string, bigint>): void {
    for (const { decisionId, weight, tallies } of refused) {
      const picodollars = scaled(costs.get(decisionId) ?? 0n, weight);
      if (picodollars !== 0n) for (const tally of [this, ...tallies]) tally.picodollars += picodollars;
    }
  }

  /** Whether {@link shed} must be called before the next decision is counted. */
  get isFull(): boolean {
    return this.users.isFull || this.departments.isFull || this.models.isFull;
  }

  /** Evicts the keys with the lowest counts. Call it only while no costs are still to be added. */
  shed(): void {
    for (const keyed of [this.users, this.departments, this.models]) if (keyed.isFull) keyed.shed();
  }

  private talliesOf({ userId, userEmail, department, model }: RequestKeys): Tally<unknown>[] {
    return [
      this.users.of(userId ?? userEmail, () => ({ userId, userEmail })),
      this.departments.of(department, () => department),
      this.models.of(model, () => model),
    ];
  }
}

function countsOfNone(): Record<Outcome, number> {
  return { allow: 0, alert: 0, require_approval: 0, block: 0, unavailable: 0 };
}

/**
 * The cost of the decisions that a record represents. Exact if the record represents one decision; otherwise its weight
 * is rounded to a millionth.
 */
function scaled(picodollars: bigint, weight: number): bigint {
  return weight === 1 ? picodollars : (picodollars * BigInt(Math.round(weight * MICRO))) / BigInt(MICRO);
}
