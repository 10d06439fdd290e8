/** Returns up to five round values from 0 to at least `top`. */
export function ticksTo(top: number): number[] {
  if (top <= 0) return [0, 1];
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map(factor => factor * power).find(each => each >= rough) ?? rough;
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < top) ticks.push(Number((ticks.length * step).toPrecision(12)));
  return ticks;
}

/** The color of the series at this index. Series beyond the palette, and `other`, are grey. */
export function seriesColor(place: number): string {
  return place < 5 ? `var(--series-${place + 1})` : 'var(--series-other)';
}

/** Largest share at which the scale of a meter ends, so that the mark at 100 % does not move to its start. */
const METER_MAX = 1.5;

/**
 * The share of a budget at which the scale of its meter ends: 1, which is the amount of the budget. If a budget has more
 * spent and reserved than its amount, the scale ends at that share, at most at 1.5.
 */
export function meterEnd(used: number): number {
  return Math.min(Math.max(used, 1), METER_MAX);
}

/** Path of the marks of a meter, in percent of its width: at 80 %, and at 100 % if the scale ends beyond. */
export function meterMarks(end: number): string {
  return [0.8, 1]
    .filter(share => share < end)
    .map(share => `M${(share / end) * 100} 0v10`)
    .join('');
}

/** Sums values, some of which may be unknown. If no value is known, the sum is unknown and not 0. */
export function knownSum(values: readonly (number | null)[]): number | null {
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return sum === 0 && values.includes(null) ? null : sum;
}
