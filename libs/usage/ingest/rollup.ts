import { COUNTS, MONEY } from '../figures/index.js';
import type { PricedEvent } from './priced-event.js';

/** Usage of one model with one attribution in one time slice. */
export interface RollupRow {
  /** Start of the slice, in milliseconds since 1970. */
  start: number;
  /** Its length. */
  minutes: number;
  /** Empty for rows of the whole organization. */
  userId: string;
  attributionId: string;
  model: string;
  provider: string;
  /** Sums in the order of `COUNTS`. Arrays, because sums by name take twice the time. */
  counts: number[];
  /** Sums in picodollars, in the order of `MONEY`. */
  money: bigint[];
}

/** The rollups of some events. Each list is in the lock order of all writers. */
export interface Rollup {
  /** Per user and quarter of an hour. */
  quarters: RollupRow[];
  /** Per user and UTC day. */
  days: RollupRow[];
  /** Of the whole organization, per quarter of an hour, hour and UTC day. */
  totals: RollupRow[];
}

/** Maximum number of events per sum: the largest token sums stay exact below 2⁵³. */
export const MAX_EVENTS_AT_ONCE = 8_000;

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
const DAY_MINUTES = 1_440;
/** The time slices of totals. */
const TOTAL_MINUTES = [QUARTER_MINUTES, 60, DAY_MINUTES];

/** Sums events per quarter of an hour and per day, also for the whole organization. */
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

/** The row of the time slice that contains `start`. */
function rowOf(rows: Map<string, RollupRow>, whose: Whose, minutes: number): RollupRow {
  const { userId, attributionId, model, provider } = whose;
  const start = whose.start - (whose.start % (minutes * MINUTE_MS));
  // No text contains NUL.
  const key = `${minutes}\0${start}\0${userId}\0${attributionId}\0${model}\0${provider}`;
  let row = rows.get(key);
  if (!row) {
    const counts = COUNTS.map(() => 0);
    rows.set(
      key,
      (row = { minutes, start, userId, attributionId, model, provider, counts, money: MONEY.map(() => 0n) }),
    );
  }
  return row;
}

function addEvent({ counts, money }: RollupRow, event: PricedEvent): void {
  COUNTS.forEach(({ of }, at) => (counts[at] = (counts[at] ?? 0) + of(event)));
  MONEY.forEach(({ of }, at) => (money[at] = (money[at] ?? 0n) + (of(event) ?? 0n)));
}

function addRow({ counts, money }: RollupRow, row: RollupRow): void {
  row.counts.forEach((count, at) => (counts[at] = (counts[at] ?? 0) + count));
  row.money.forEach((picodollars, at) => (money[at] = (money[at] ?? 0n) + picodollars));
}

/** Any order is correct if all writers on all replicas use the same. */
function inLockOrder(rows: ReadonlyMap<string, RollupRow>): RollupRow[] {
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
