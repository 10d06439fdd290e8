/** Whether the long forms of these tests were asked for (`FAULTS=full`). */
export const IS_FULL = process.env['FAULTS'] === 'full';

/** Chance that can be had again: the seed is printed, and `FAULTS_SEED` gives it. */
export interface Chance {
  readonly seed: number;
  /** At least 0, less than 1. */
  next(): number;
  /** A whole number from 0 to less than the limit. */
  below(limit: number): number;
}

/** Chance by mulberry32, whose whole state is its 32-bit seed. */
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

/** Prints figures that a test measured; Jest would put its own words around console.log. */
export function report(title: string, figures: object): void {
  process.stdout.write(`    ${title}: ${JSON.stringify(figures)}\n`);
}

/** How many times slower than an idle machine a busy one may be. */
const PATIENCE = 4;

/**
 * Waits until something holds: on an idle machine at most `withinMs`, else up to four times that. The limit ends what
 * hangs; it measures nothing. @throws Error that says what did not come about
 */
export async function until(what: string, withinMs: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE * withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) {
      throw new Error(`within ${PATIENCE * withinMs} ms it did not come about that ${what}`);
    }
    await sleep(50);
  }
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise(done => setTimeout(done, milliseconds));
}

/** The value below which a share of all lies. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
