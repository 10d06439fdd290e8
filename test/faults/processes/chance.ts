/** Whether the long forms of these tests are enabled (`FAULTS=full`). */
export const IS_FULL = process.env['FAULTS'] === 'full';

/** Reproducible random numbers: the seed is printed, and `FAULTS_SEED` sets it. */
export interface Chance {
  readonly seed: number;
  /** At least 0 and less than 1. */
  next(): number;
  /** An integer from 0 to less than the limit. */
  below(limit: number): number;
}

/** Random numbers by mulberry32, whose only state is its 32-bit seed. */
export function newChance(seed = Number(process.env['FAULTS_SEED'] ?? Date.now() % 2 ** 31)): Chance {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { seed, next, below: limit => Math.floor(next() * limit) };
}

/** Prints measured figures directly, because Jest adds text to console.log. */
export function report(title: string, figures: object): void {
  process.stdout.write(`    ${title}: ${JSON.stringify(figures)}\n`);
}

/** The factor by which a busy machine may be slower than an idle one. */
const TIMEOUT_FACTOR = 4;

/**
 * Waits until a condition is true, on an idle machine at most `withinMs`, otherwise up to four times that. The limit
 * only ends a hanging test.
 *
 * @throws Error that describes the condition
 */
export async function until(what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + TIMEOUT_FACTOR * withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`within ${TIMEOUT_FACTOR * withinMs} ms it did not come about that ${what}`);
    }
    await sleep(50);
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}

/** The given percentile. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
