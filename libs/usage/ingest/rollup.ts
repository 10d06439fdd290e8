import { COUNTS, MONEY } from '../figures/index.js';
import type { PricedEvent } from './priced-event.js';

/** Usage of one model with one attribution in one time slice. */
export interface RollupRow {
  /** Start of the time slice, in milliseconds since 1970. */
  start: number;
  /** Length of the period. */
  minutes: number;
  /** Empty for rows of the whole organization. */
  userId: string;
  attributionId: string;
  model: string;
  provider: string;
  /** Sums of counts, in the order of `COUNTS`. An array, because summing by name takes twice the time. */
  counts: number[];
  /** Sums of money in picodollars, in the order of `MONEY`. */
  money: bigint[];
}

/** The rollups of some events. Each list is in the order in which all writers lock rows. */
export interface Rollup {
  /** Rows per user and quarter of an hour. */
  quarters: RollupRow[];
  /** Rows per user and UTC day. */
  days: RollupRow[];
  /** Rows of the whole organization, per quarter of an hour, hour and UTC day. */
  totals: RollupRow[];
}

/**
 * Maximum number of events that are summed at once. With more, sums of the largest token counts could exceed 2⁵³ and
 * become inexact.
 */
export const MAX_EVENTS_AT_ONCE = 8_000;

const MINUTE_MS = 60_000;
const QUARTER_MINUTES = 15;
const DAY_MINUTES = 1_440;
/** The lengths of the time slices of totals. */
const TOTAL_MINUTES = [QUARTER_MINUTES, 60, DAY_MINUTES];

/** Sums events per quarter of an hour and per day, also for the whole organization. */
export function rollUp(events: readonly PricedEvent[]): Rollup {
  const quarters = new Slices(QUARTER_MINUTES);
  const sharedIds = new Map<string, string>();
  for (const event of events) {
    const { userId, attribution, occurredAt, model, provider } = event;
    const whose = { userId, model, provider, attributionId: attribution.id };
    quarters.add(keyOf(whose), whose, occurredAt.getTime(), sumsOf(event));
    sharedIds.set(attribution.id, attribution.sharedId);
  }
  const days = new Slices(DAY_MINUTES);
  const everybody = new Slices(QUARTER_MINUTES);
  quarters.forEach((key, row) => {
    days.add(key, row, row.start, row);
    const { model, provider, attributionId: id } = row;
    const whose = { userId: '', model, provider, attributionId: sharedIds.get(id) ?? id };
    everybody.add(keyOf(whose), whose, row.start, row);
  });
  const totals = TOTAL_MINUTES.map(minutes => {
    const slices = new Slices(minutes);
    everybody.forEach((key, row) => slices.add(key, row, row.start, row));
    return slices;
  });
  const totalRows = totals.flatMap(slices => slices.inLockOrder());
  return { quarters: quarters.inLockOrder(), days: days.inLockOrder(), totals: totalRows };
}

type Whose = Pick<RollupRow, 'userId' | 'attributionId' | 'model' | 'provider'>;
type Sums = Pick<RollupRow, 'counts' | 'money'>;

/** NUL is a safe separator, because no text contains it. */
function keyOf({ userId, attributionId, model, provider }: Whose): string {
  return `${userId}\0${attributionId}\0${model}\0${provider}`;
}

function sumsOf(event: PricedEvent): Sums {
  return { counts: COUNTS.map(({ of }) => of(event)), money: MONEY.map(({ of }) => of(event) ?? 0n) };
}

/**
 * Rows of time slices of one length. The key of a row does not contain the time. The same key can therefore be used for
 * slices of every length, and its hash is computed only once. That halves the time of a rollup.
 */
class Slices {
  private readonly slices = new Map<number, Map<string, RollupRow>>();

  constructor(private readonly minutes: number) {}

  /** Adds an event to the row of the slice that contains an instant. */
  add(key: string, whose: Whose, at: number, { counts, money }: Sums): void {
    const start = at - (at % (this.minutes * MINUTE_MS));
    let rows = this.slices.get(start);
    if (!rows) this.slices.set(start, (rows = new Map()));
    const row = rows.get(key);
    if (row) {
      counts.forEach((count, figure) => (row.counts[figure] = (row.counts[figure] ?? 0) + count));
      money.forEach((sum, figure) => (row.money[figure] = (row.money[figure] ?? 0n) + sum));
      return;
    }
    const { userId, attributionId, model, provider } = whose;
    const sums = { counts: counts.slice(), money: money.slice() };
    rows.set(key, { minutes: this.minutes, start, userId, attributionId, model, provider, ...sums });
  }

  forEach(use: (key: string, row: RollupRow) => void): void {
    for (const rows of this.slices.values()) for (const [key, row] of rows) use(key, row);
  }

  /** All writers on all replicas must lock rows in the same order. Which order does not matter. */
  inLockOrder(): RollupRow[] {
    const rows: RollupRow[] = [];
    for (const [, slice] of [...this.slices].sort(([a], [b]) => a - b)) {
      // Sorting without a compare function is three times as fast.
      for (const key of [...slice.keys()].sort()) {
        const row = slice.get(key);
        if (row) rows.push(row);
      }
    }
    return rows;
  }
}
