/**
 * The lowest and highest value of one statistic so far. With each value, both bounds move a little towards the middle,
 * so that old extremes lose influence.
 */
export interface Band {
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

export const NO_BAND: Band = { count: 0, low: 0, high: 0 };

export interface BandSettings {
  /** Number of initial values that only widen the band. Only later values can be outside of the band. */
  readonly warmUp: number;
  /**
   * Number of values after which a new extreme has half of its final weight. New extremes are common at the start of a
   * series.
   */
  readonly maturity: number;
  /**
   * Share of the band's middle that is added to its width. Without it, a constant series would have a width of zero.
   */
  readonly tolerance: number;
  /** Whether values below the band are also unusual. */
  readonly watchesLows: boolean;
}

/** Distance of a value from the band, as a share of the band's width. Zero within the band. */
export function excess(band: Band, value: number, floor: number, settings: BandSettings): number {
  if (band.count < settings.warmUp) return 0;
  const below = settings.watchesLows ? band.low - value : 0;
  const distance = Math.max(value - band.high, below, 0);
  if (distance === 0) return 0;
  const middle = Math.abs(band.high + band.low) / 2;
  const width = band.high - band.low + settings.tolerance * middle + floor;
  return (distance / Math.max(width, 1e-9)) * (band.count / (band.count + settings.maturity));
}

/** Adds a value to the band. Before that, each half of the band shrinks by the share `fading`. */
export function widened(band: Band, value: number, fading: number): Band {
  if (band.count === 0) return { count: 1, low: value, high: value };
  const half = ((band.high - band.low) / 2) * fading;
  return {
    count: Math.min(band.count + 1, 1_000_000),
    low: Math.min(value, band.low + half),
    high: Math.max(value, band.high - half),
  };
}
