/** A time range that consists of rollup pieces of the same length. */
export interface RollupPiece {
  readonly minutes: (typeof GRAINS)[number];
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

const MINUTE_MS = 60_000;

/** Lengths of the rollup pieces in minutes: UTC day, hour and quarter of an hour. */
const GRAINS = [1_440, 60, 15] as const;

/** Splits a time range into the largest rollup pieces. The range must begin and end with a quarter of an hour. */
export function rollupPieces(start: Date, end: Date): RollupPiece[] {
  return cut(start.getTime(), end.getTime(), GRAINS);
}

function cut(from: number, until: number, [minutes, ...finer]: readonly RollupPiece['minutes'][]): RollupPiece[] {
  if (from >= until || minutes === undefined) return [];
  const length = minutes * MINUTE_MS;
  const first = Math.ceil(from / length) * length;
  const last = Math.floor(until / length) * length;
  if (first >= last) return cut(from, until, finer);
  const whole = { minutes, from: new Date(first), until: new Date(last) };
  return [...cut(from, first, finer), whole, ...cut(last, until, finer)];
}
