import type { BudgetWindow } from '../windows/index.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** A time range, and the source that covers it: rollups per UTC day, rollups per hour, or single events. */
export interface UsagePiece {
  readonly source: 'days' | 'hours' | 'events';
  readonly from: Date;
  /** Exclusive. */
  readonly until: Date;
}

interface Unit {
  source: UsagePiece['source'];
  length: number;
}

const UNITS: readonly Unit[] = [
  { source: 'days', length: DAY_MS },
  { source: 'hours', length: HOUR_MS },
  { source: 'events', length: 1 },
];

/**
 * Splits a window into the largest available rollups: whole UTC days, then whole hours. If the days of the time zone do
 * not begin at a full hour, the edges consist of single events.
 */
export function usagePieces({ start, end }: BudgetWindow): UsagePiece[] {
  return cut(start.getTime(), end.getTime(), UNITS);
}

function cut(from: number, until: number, [unit, ...finer]: readonly Unit[]): UsagePiece[] {
  if (from >= until || !unit) return [];
  const first = Math.ceil(from / unit.length) * unit.length;
  const last = Math.floor(until / unit.length) * unit.length;
  if (first >= last) return cut(from, until, finer);
  const whole: UsagePiece = { source: unit.source, from: new Date(first), until: new Date(last) };
  return [...cut(from, first, finer), whole, ...cut(last, until, finer)];
}
