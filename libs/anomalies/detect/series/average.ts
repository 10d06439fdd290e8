/**
 * An exponentially weighted mean and variance. The first points have equal weights, so that the average starts without
 * a bias.
 */
export interface Average {
  readonly count: number;
  readonly mean: number;
  readonly variance: number;
}

export const NO_AVERAGE: Average = { count: 0, mean: 0, variance: 0 };

/** Adds a value to the average. `span` is the number of recent values that have most of the weight. */
export function averaged(average: Average, value: number, span: number): Average {
  const count = Math.min(average.count + 1, Math.ceil(span));
  const weight = Math.max(1 / span, 1 / count);
  const distance = value - average.mean;
  return {
    count,
    mean: average.mean + weight * distance,
    variance: (1 - weight) * (average.variance + weight * distance * distance),
  };
}
