// The result of a comparison in pairs: each round has a phase with the work in question and one without it.
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** The two phases of a round. */
export type Phase = 'with' | 'without';

/** A median of fewer ratios is decided by chance. */
export const LEAST_ROUNDS = 10;
/** Turns of the event loop longer than this show that the process waits for a core, so times measure that queue. */
export const BUSY_TURN_MS = 40;
/** Interval between two looks at the event loop. A turn is the time between them above this. */
const LOOK_EVERY_MS = 5;

export interface Summary {
  readonly median: number;
  readonly least: number;
  readonly most: number;
  readonly low: number;
  readonly high: number;
}

/** Turns of an event loop, in milliseconds. */
export interface Turns {
  readonly p99: number;
  readonly max: number;
}

/** The order of the phases: ABBA, so that a machine that becomes steadily slower favors neither. */
export function orderOf(round: number): readonly Phase[] {
  return round % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
}

/** Whether so many rounds give a result: at least ten, and as many begin with one phase as with the other. */
export function areEnough(rounds: number): boolean {
  return rounds >= LEAST_ROUNDS && rounds % 2 === 0;
}

/**
 * The median of the ratios and their spread. The true median is between `low` and `high` with a probability of at least
 * 95 %, whatever the distribution of the ratios is. Fewer than six ratios give no such interval.
 */
export function summaryOf(ratios: readonly number[]): Summary {
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted.at(index) ?? NaN;
  const middle = (sorted.length - 1) / 2;
  const rank = rankOf(sorted.length);
  return {
    median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2,
    least: at(0),
    most: at(-1),
    low: rank === undefined ? -Infinity : at(rank),
    high: rank === undefined ? Infinity : at(-1 - rank),
  };
}

/** The number of ratios to leave out at each end: the most that leaves a probability of 5 % outside (sign test). */
function rankOf(count: number): number | undefined {
  let [outside, ways] = [0, 1];
  for (let left = 0; left < count / 2; left++) {
    outside += (2 * ways) / 2 ** count;
    if (outside > 0.05) return left === 0 ? undefined : left - 1;
    ways *= (count - left) / (left + 1);
  }
  return undefined;
}

/** Watches the event loop of this process: `stop` returns the p99 and the longest of its turns in milliseconds. */
export function watchTurns(): { stop(): Turns } {
  const histogram = monitorEventLoopDelay({ resolution: LOOK_EVERY_MS });
  histogram.enable();
  return {
    stop() {
      histogram.disable();
      const turn = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - LOOK_EVERY_MS);
      return { p99: turn(histogram.percentile(99)), max: turn(histogram.max) };
    },
  };
}
