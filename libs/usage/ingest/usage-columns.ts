import { tagsText } from '#core';
import { bytesArray, plainArray, type PlainValue, textArray } from '#database';
import { COUNTS, FIGURES, MONEY, type CountFigure, type MoneyFigure } from '../figures/index.js';
import { picoToDecimalString } from '../prices/index.js';
import type { PricedEvent } from './priced-event.js';
import type { RollupRow } from './rollup.js';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;

/** A column of a batch, as a parameter of PostgreSQL. */
export interface Column<Row> {
  name: string;
  type: string;
  /** Returns the column as an array literal; null if every row has the value of `orElse`. */
  write(rows: readonly Row[]): string | null;
  /**
   * SQL of the value that all rows have in most batches. If all rows have it, the column is neither written, sent nor
   * read.
   */
  orElse?: string;
}

function plain<Row>(name: string, type: string, value: (row: Row) => PlainValue): Column<Row> {
  return { name, type, write: rows => plainArray(rows, value) };
}

function text<Row>(name: string, type: string, value: (row: Row) => string | null | undefined): Column<Row> {
  return { name, type, write: rows => textArray(rows, value) };
}

/** A column that has the same value in all rows of most batches. */
function mostly<Row>(column: Column<Row>, value: (row: Row) => unknown, usual: unknown, orElse: string): Column<Row> {
  return { ...column, orElse, write: rows => (rows.every(row => value(row) === usual) ? null : column.write(rows)) };
}

/** The columns of all figures that the events table stores. */
const FIGURES_OF_EVENTS = FIGURES.flatMap((figure: CountFigure | MoneyFigure): Column<PricedEvent>[] => {
  if (!figure.event) return [];
  const { column, of, unit, event } = figure;
  if (unit === 'usd') return [plain(column, event.type, use => decimalOf(of(use)))];
  const counted = plain<PricedEvent>(column, event.type, of);
  return [event.usual === undefined ? counted : mostly(counted, of, event.usual, String(event.usual))];
});

const FINGERPRINT: Column<PricedEvent> = {
  name: 'fingerprint',
  type: 'bytea',
  write: events => bytesArray(events, event => event.fingerprint),
};
const ID = text<PricedEvent>('id', 'text', event => event.id);
const OCCURRED_AT = plain<PricedEvent>('occurred_at', 'timestamptz', event => event.occurredAt.toISOString());

/** The columns of usage events. */
export const EVENT_COLUMNS: Column<PricedEvent>[] = [
  ID,
  OCCURRED_AT,
  plain('user_id', 'uuid', event => event.userId),
  text('provider', 'text', event => event.provider),
  text('model', 'text', event => event.model),
  text('department', 'text', event => event.department),
  ...FIGURES_OF_EVENTS,
  mostly(
    // The cost before discounts. Null if it equals the cost.
    plain('list_cost_usd', 'numeric', event => decimalOf(listCostOf(event))),
    listCostOf,
    null,
    'null',
  ),
  text('price_source', 'text', event => event.cost.source),
  text('price_version', 'text', event => event.cost.version),
  mostly(
    plain('decision_id', 'uuid', event => event.decisionId),
    event => event.decisionId,
    null,
    'null',
  ),
  mostly(
    text('units', 'jsonb', event => event.tokens.units && JSON.stringify(event.tokens.units)),
    event => event.tokens.units,
    undefined,
    'null',
  ),
  mostly(
    text('project', 'text', event => event.project),
    event => event.project,
    null,
    'null',
  ),
  mostly(
    text('tags', 'jsonb', event => tagsText(event.tags)),
    event => event.tags,
    null,
    'null',
  ),
  mostly(
    plain('token_id', 'uuid', event => event.tokenId),
    event => event.tokenId,
    null,
    'null',
  ),
  plain('attribution_id', 'uuid', event => event.attribution.id),
  mostly(
    // The tier. Null for the standard tier, which saves space because most usage has it.
    text('service_tier', 'text', ({ serviceTier }) => (serviceTier === 'standard' ? null : serviceTier)),
    event => event.serviceTier,
    'standard',
    'null',
  ),
  mostly(
    text('region', 'text', event => event.region),
    event => event.region,
    null,
    'null',
  ),
  mostly(
    text('metadata', 'jsonb', event => event.metadataJson),
    event => event.metadataJson,
    null,
    'null',
  ),
];

/** The columns of the event keys. The last ones, id and time, are also the first columns of the events. */
export const KEY_COLUMNS: Column<PricedEvent>[] = [FINGERPRINT, ID, OCCURRED_AT];

/**
 * The columns of a batch. The rows of keys begin at its first column, and the rows of events at the first column of
 * events.
 */
export const BATCH_COLUMNS: Column<PricedEvent>[] = [FINGERPRINT, ...EVENT_COLUMNS];

/** The figures of a rollup, which are summed. */
export const SUMS: Column<RollupRow>[] = [
  ...COUNTS.map(({ column }, at) => plain<RollupRow>(column, 'bigint', row => row.counts[at])),
  ...MONEY.map(({ column }, at) => plain<RollupRow>(column, 'numeric', row => decimalOf(row.money[at] ?? null))),
];

const START = plain<RollupRow>('start', 'timestamptz', row => new Date(row.start).toISOString());
const HOUR = plain<RollupRow>('hour', 'timestamptz', row => new Date(row.start - (row.start % HOUR_MS)).toISOString());
const QUARTER = plain<RollupRow>('quarter', 'smallint', row => (row.start % HOUR_MS) / QUARTER_MS);
const DAY = plain<RollupRow>('day', 'date', row => new Date(row.start).toISOString().slice(0, 10));
const MINUTES = plain<RollupRow>('grain_minutes', 'smallint', row => row.minutes);
const USER = plain<RollupRow>('user_id', 'uuid', row => row.userId);
const MODEL = text<RollupRow>('model', 'text', row => row.model);
const PROVIDER = text<RollupRow>('provider', 'text', row => row.provider);
const ATTRIBUTION = plain<RollupRow>('attribution_id', 'uuid', row => row.attributionId);

/** A rollup table and its key columns. The key begins with the organization. */
export interface RollupTable {
  name: string;
  key: Column<RollupRow>[];
}

/** Per user and quarter of an hour. */
export const HOURLY: RollupTable = {
  name: 'usage_hourly',
  key: [HOUR, USER, MODEL, PROVIDER, ATTRIBUTION, QUARTER],
};

/** Per user and UTC day. */
export const DAILY: RollupTable = { name: 'usage_daily', key: [DAY, USER, MODEL, PROVIDER, ATTRIBUTION] };

/** Of the whole organization, per quarter of an hour, hour and UTC day. */
export const TOTALS: RollupTable = { name: 'usage_totals', key: [MINUTES, START, ATTRIBUTION, MODEL, PROVIDER] };

/** SQL of the form `unnest($3::text[], …)`: rows from array parameters, numbered from the given number. */
export function unnest(columns: readonly { type: string }[], first: number): string {
  return `unnest(${columns.map(({ type }, at) => `$${at + first}::${type}[]`).join(', ')})`;
}

/** `id, occurred_at, …` */
export function namesOf(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/**
 * SQL of a column's value, which replaces a missing value by `orElse`. unnest() pads a null array to the length of the
 * other arrays.
 */
export function valueOf({ name, orElse }: Column<PricedEvent>): string {
  return orElse === undefined ? `batch.${name}` : `coalesce(batch.${name}, ${orElse})`;
}

/** The cost before discounts; undefined if it equals the cost. */
function listCostOf({ cost: { picodollars, listPicodollars } }: PricedEvent): bigint | null {
  return listPicodollars === undefined || listPicodollars === picodollars ? null : listPicodollars;
}

function decimalOf(picodollars: bigint | null): string | null {
  return picodollars === null ? null : picoToDecimalString(picodollars);
}
