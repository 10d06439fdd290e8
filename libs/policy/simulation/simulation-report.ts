import type { Outcome } from './comparison.js';
import type { TopKeys } from './keyed-counter.js';
import type { SampledDecision } from './sampled-decision.js';
import type { SimulationTally } from './simulation-tally.js';

/** The usage of the simulated days, including usage without decisions. */
export interface UsageReport {
  /** Calendar dates, UTC, both included. */
  readonly from: string;
  readonly to: string;
  readonly requests: number;
  /** Requests of people whom the draft policy matches, by the attributes that they have today. */
  readonly matchedRequests: number;
  /** Requests that the current policies allow and the draft refuses. */
  readonly refusedRequests: number;
  /** Cost of these requests in picodollars. */
  readonly refusedPicodollars: bigint;
}

/** The effect that a draft would have had. Counts are estimates if records represent several decisions. */
export interface SimulationReport {
  readonly from: Date;
  readonly to: Date;
  readonly evaluated: number;
  /** Decisions that the draft matches. */
  readonly matched: number;
  /** Decisions whose action differs. */
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
  /** Null if no usage is stored. */
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
