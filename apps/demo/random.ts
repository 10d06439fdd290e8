/** Random numbers with a fixed seed, so that every demo has the same data. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  /** Returns a whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<T>(values: readonly T[]): T;
  /** Returns one of the values at random. Each choice is `[value, weight]`. */
  weighted<T>(choices: readonly (readonly [T, number])[]): T;
  /** Returns a log-normal number with this median. About two thirds of the numbers are within a factor of e^spread. */
  around(median: number, spread: number): number;
}

/** Mulberry32 (Tommy Ettinger, public domain). Its 32 bits of state are enough for a demo. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(next() * values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    pick,
    weighted: <T>(choices: readonly (readonly [T, number])[]): T => {
      let left = next() * choices.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of choices) {
        left -= weight;
        if (left < 0) return value;
      }
      return pick(choices.map(([value]) => value));
    },
    around: (median, spread) => {
      // Box-Muller transform. 1 - next() is never 0, so its logarithm is finite.
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
      return median * Math.exp(spread * normal);
    },
  };
}
