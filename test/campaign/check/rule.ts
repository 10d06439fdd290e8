import type { Evidence } from './evidence.js';

/** The result of a rule. */
export interface Found {
  /** Number of checked facts. A rule that checked nothing proves nothing. */
  readonly examined: number;
  /** The violations, one sentence each. */
  readonly violations: readonly string[];
}

/** A condition that must hold in every campaign. */
export interface Rule {
  readonly name: string;
  check(evidence: Evidence): Found | Promise<Found>;
}

/** A rule and its result. */
export interface Result extends Found {
  readonly name: string;
}
