import type { Evidence } from './evidence.js';

/** What a rule found. */
export interface Found {
  /** How many facts were held against the rule. A rule that examined nothing proves nothing. */
  readonly examined: number;
  /** One sentence each. */
  readonly violations: readonly string[];
}

/** Something that must hold, whatever happened. */
export interface Rule {
  readonly name: string;
  check(evidence: Evidence): Found | Promise<Found>;
}

/** A rule and what it found. */
export interface Result extends Found {
  readonly name: string;
}
