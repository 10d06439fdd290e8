import { COUNTS, MONEY } from '../figures/index.js';
import type { PricedEvent } from './priced-event.js';

/** Usage of one model with one attribution in one time slice. */
export interface RollupRow {
  /** Start of the slice, in milliseconds since 1970. */
  start: number;
  /** Length of the period. */
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

/** The rollups of some events. Each list is in the order in which all writers lock rows. */
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

/** No text contains NUL. */
function keyOf({ userId, attributionId, model, provider }: Whose): string {
  return `${userId}\0${attributionId}\0${model}\0${provider}`;
}

function sumsOf(event: PricedEvent): Sums {
  return { counts: COUNTS.map(({ of }) => of(event)), money: MONEY.map(({ of }) => of(event) ?? 0n) };
}

/**
 * Rows of time slices of one length. The key of a row does not contain its time: so one text serves as the key in slices
 * of every length, and its hash is computed once. That halves the time of a rollup.
 */
class Slices {
  private readonly slices = new Map<number, Map<string, RollupRow>>();

  constructor(private readonly minutes: number) {}

  /** Adds to the row of the slice that contains an instant. */
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

  /** Any order is correct if all writers on all replicas use the same. */
  inLockOrder(): RollupRow[] {
    const rows: RollupRow[] = [];
    for (const [, slice] of [...this.slices].sort(([a], [b]) => a - b)) {
      // Without a function to compare, texts are sorted three times as fast.
      for (const key of [...slice.keys()].sort()) {
        const row = slice.get(key);
        if (row) rows.push(row);
      }
    }
    return rows;
  }
}
