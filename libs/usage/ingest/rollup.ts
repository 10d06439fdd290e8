import { COUNTS, MONEY, NO_SUMS, type EventSums } from '../figures/index.js';
import type { PricedEvent } from './priced-event.js';

/** What was used of one model for one purpose within one piece of time. */
export interface RollupRow extends EventSums {
  /** First instant of the piece, in milliseconds since 1970. */
  start: number;
  /** Its length. */
  minutes: number;
  /** Empty where the row is of everybody. */
  userId: string;
  attributionId: string;
  model: string;
  provider: string;
}

/** The rollups of some events, each list in the one order in which every writer locks the rows. */
export interface Rollup {
  /** Of people by quarter of an hour. */
  quarters: RollupRow[];
  /** Of people by UTC day. */
  days: RollupRow[];
  /** Of everybody by quarter of an hour, hour and UTC day. */
  totals: RollupRow[];
}

/** Most events that are added up at once: their largest token sums stay exact below 2⁵³. */
export const MAX_EVENTS_AT_ONCE = 8_000;

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
const DAY_MINUTES = 1_440;
/** The pieces of time that totals are kept for. */
const TOTAL_MINUTES = [QUARTER_MINUTES, 60, DAY_MINUTES];

/** Adds up events by quarter of an hour and by day, and for the whole organization. */
export function rollUp(events: readonly PricedEvent[]): Rollup {
  const quarters = new Map<string, RollupRow>();
  const sharedIds = new Map<string, string>();
  for (const event of events) {
    const { userId, attribution, occurredAt, model, provider } = event;
    const whose = { userId, model, provider, start: occurredAt.getTime(), attributionId: attribution.id };
    addEvent(rowOf(quarters, whose, QUARTER_MINUTES), event);
    sharedIds.set(attribution.id, attribution.sharedId);
  }
  const days = new Map<string, RollupRow>();
  const everybody = new Map<string, RollupRow>();
  for (const row of quarters.values()) {
    addRow(rowOf(days, row, DAY_MINUTES), row);
    const { start, model, provider, attributionId: id } = row;
    const whose = { userId: '', model, provider, start, attributionId: sharedIds.get(id) ?? id };
    addRow(rowOf(everybody, whose, QUARTER_MINUTES), row);
  }
  const totals = new Map<string, RollupRow>();
  for (const minutes of TOTAL_MINUTES) {
    for (const row of everybody.values()) addRow(rowOf(totals, row, minutes), row);
  }
  return { quarters: inLockOrder(quarters), days: inLockOrder(days), totals: inLockOrder(totals) };
}

type Whose = Pick<RollupRow, 'start' | 'userId' | 'attributionId' | 'model' | 'provider'>;

/** The row of the piece of time that `start` lies in. */
function rowOf(rows: Map<string, RollupRow>, whose: Whose, minutes: number): RollupRow {
  const { userId, attributionId, model, provider } = whose;
  const start = whose.start - (whose.start % (minutes * MINUTE_MS));
  // NUL stands in none of the texts.
  const key = `${minutes}\0${start}\0${userId}\0${attributionId}\0${model}\0${provider}`;
  let row = rows.get(key);
  if (!row) rows.set(key, (row = { ...NO_SUMS, minutes, start, userId, attributionId, model, provider }));
  return row;
}

function addEvent(row: RollupRow, event: PricedEvent): void {
  for (const { name, of } of COUNTS) row[name] += of(event);
  for (const { name, of } of MONEY) row[name] += of(event) ?? 0n;
}

function addRow(sum: RollupRow, row: RollupRow): void {
  for (const { name } of COUNTS) sum[name] += row[name];
  for (const { name } of MONEY) sum[name] += row[name];
}

/** Any order does, as long as every writer on every replica has the same. */
function inLockOrder(rows: ReadonlyMap<string, RollupRow>): RollupRow[] {
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
