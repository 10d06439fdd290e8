import type { Outcome } from './comparison.js';
import type { TopKeys } from './keyed-counter.js';
import type { SampledDecision } from './sampled-decision.js';
import type { SimulationTally } from './simulation-tally.js';

/** The usage of the simulated days, including usage without decisions. */
export interface UsageReport {
  /** Calendar dates in UTC. The range includes both. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Number of requests of people whom the draft matches, judged by their current attributes. */
  readonly matchedRequests: number;
  /** Number of requests that the current policies allow and the draft refuses. */
  readonly refusedRequests: number;
  /** Cost of these refused requests in picodollars. */
  readonly refusedPicodollars: bigint;
}

/** The effect that a draft would have had. If records represent several decisions, counts are estimates. */
export interface SimulationReport {
  readonly from: Date;
  readonly to: Date;
  readonly evaluated: number;
  /** Number of decisions that the draft matches. */
  readonly matched: number;
  /** Number of decisions whose action the draft changes. */
  readonly changed: number;
  readonly newlyRefused: number;
  readonly newlyAllowed: number;
  /** Cost of the newly refused requests in picodollars. */
  readonly picodollars: bigint;
  /** Whether decisions are sampled now, or some records represent several decisions. */
  readonly isEstimated: boolean;
  readonly before: Readonly<Record<Outcome, number>>;
  readonly after: Readonly<Record<Outcome, number>>;
  readonly users: TopKeys<{ userId: string | null; userEmail: string | null }>;
  readonly departments: TopKeys<string | null>;
  readonly models: TopKeys<string>;
  readonly sample: readonly SampledDecision[];
  /** Effect on usage; null if no usage is stored. */
  readonly usage: UsageReport | null;
}

/** Builds the report of a simulation. */
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
