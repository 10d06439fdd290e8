import type { Outcome } from './comparison.js';
import type { TopKeys } from './keyed-counter.js';
import type { SampledDecision } from './sampled-decision.js';
import type { SimulationTally } from './simulation-tally.js';

/** What the usage of the same days says, where nobody may have asked for decisions. */
export interface UsageReport {
  /** Calendar dates, UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Requests of people whom the draft matches as they are now. */
  readonly matchedRequests: number;
  /** Requests that would be allowed as things are and refused with the draft. */
  readonly refusedRequests: number;
  /** What those have cost, in picodollars. */
  readonly refusedPicodollars: bigint;
}

/** What a draft would have done. Counts are estimates where records stand for several decisions. */
export interface SimulationReport {
  readonly from: Date;
  readonly to: Date;
  readonly evaluated: number;
  /** Decisions that the draft itself matches. */
  readonly matched: number;
  /** Decisions whose action differs. */
  readonly changed: number;
  readonly newlyRefused: number;
  readonly newlyAllowed: number;
  /** What the newly refused ones have cost, in picodollars. */
  readonly picodollars: bigint;
  /** Whether records are left out at present, or some stand for several decisions. */
  readonly isEstimated: boolean;
  readonly before: Readonly<Record<Outcome, number>>;
  readonly after: Readonly<Record<Outcome, number>>;
  readonly users: TopKeys<{ userId: string | null; userEmail: string | null }>;
  readonly departments: TopKeys<string | null>;
  readonly models: TopKeys<string>;
  readonly sample: readonly SampledDecision[];
  /** Null where nothing keeps usage. */
  readonly usage: UsageReport | null;
}

/** Sums a simulation up. */
export function reportOf(
  { from, to }: { from: Date; to: Date },
  tally: SimulationTally,
  sample: readonly SampledDecision[],
  usage: UsageReport | null,
): SimulationReport {
  const { evaluated, matched, changed, newlyRefused, newlyAllowed, picodollars, isEstimated } = tally;
  return {
    ...{ from, to, evaluated, matched, changed, newlyRefused, newlyAllowed, picodollars, isEstimated },
    before: tally.before,
    after: tally.after,
    users: tally.users.top(),
    departments: tally.departments.top(),
    models: tally.models.top(),
    sample,
    usage,
  };
}
