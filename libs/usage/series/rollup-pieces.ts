/** A stretch of time whose usage is added up already, by pieces of so many minutes. */
export interface RollupPiece {
  readonly minutes: (typeof GRAINS)[number];
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

const MINUTE_MS = 60_000;

/** The pieces that sums are kept for, in minutes: UTC days, hours and quarters of an hour. */
const GRAINS = [1_440, 60, 15] as const;

/** Cuts a stretch of time that begins and ends with a quarter of an hour into the largest pieces whose sums are kept. */
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
