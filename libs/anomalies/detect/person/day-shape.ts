/** Summary of one active day of a person. Days are numbers: days since the epoch, in the person's time zone. */
export interface DayShape {
  readonly day: number;
  readonly total: number;
  /** The busiest hour. */
  readonly busiest: number;
  /**
   * Requests in the third and in the eighth busiest hour. They show whether activity lasted at least three or eight
   * hours.
   */
  readonly third: number;
  readonly eighth: number;
  /** One bit for each active hour. */
  readonly hours: number;
}

export const SIZES = ['busiest', 'third', 'eighth', 'total'] as const;
export type Size = (typeof SIZES)[number];

/** The shape of a day, from the 24 counts of its hours. */
export function shapeOf(day: number, counts: readonly number[]): DayShape {
  const sorted = counts.toSorted((a, b) => b - a);
  return {
    day,
    total: counts.reduce((sum, count) => sum + count, 0),
    busiest: sorted[0] ?? 0,
    third: sorted[2] ?? 0,
    eighth: sorted[7] ?? 0,
    hours: counts.reduce((bits, count, hour) => (count > 0 ? bits | (1 << hour) : bits), 0),
  };
}
