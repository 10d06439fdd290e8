import { bytesArray, plainArray, type PlainValue, textArray } from '#database';
import { picoToDecimalString } from '../prices/index.js';
import type { PricedEvent } from './priced-event.js';
import type { RollupRow } from './rollup.js';

/** A column of a batch, as it is handed to PostgreSQL. */
export interface Column<Row> {
  name: string;
  type: string;
  /** The column of some rows as an array literal; null where every row has the value of `orElse`. */
  write(rows: readonly Row[]): string | null;
  /** The value, as SQL, that most batches have throughout: such a column is neither written, sent nor read. */
  orElse?: string;
}

function plain<Row>(name: string, type: string, value: (row: Row) => PlainValue): Column<Row> {
  return { name, type, write: rows => plainArray(rows, value) };
}

function text<Row>(name: string, type: string, value: (row: Row) => string | null | undefined): Column<Row> {
  return { name, type, write: rows => textArray(rows, value) };
}

/** A column that is mostly the same throughout a batch. */
function mostly<Row>(column: Column<Row>, value: (row: Row) => unknown, usual: unknown, orElse: string): Column<Row> {
  return { ...column, orElse, write: rows => (rows.every(row => value(row) === usual) ? null : column.write(rows)) };
}

function mostlyZero(name: string, type: string, value: (event: PricedEvent) => number): Column<PricedEvent> {
  return mostly(plain(name, type, value), value, 0, '0');
}

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
  plain('input_tokens', 'bigint', event => event.tokens.input_tokens),
  plain('output_tokens', 'bigint', event => event.tokens.output_tokens),
  mostlyZero('cache_read_tokens', 'bigint', event => event.tokens.cache_read_tokens),
  mostlyZero('cache_write_tokens', 'bigint', event => event.tokens.cache_write_tokens),
  mostlyZero('reasoning_tokens', 'bigint', event => event.tokens.reasoning_tokens),
  mostly(
    plain('requests', 'integer', event => event.requests),
    event => event.requests,
    1,
    '1',
  ),
  plain('cost_usd', 'numeric', event => decimalOf(event.cost.picodollars)),
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
    text('metadata', 'jsonb', event => event.metadataJson),
    event => event.metadataJson,
    null,
    'null',
  ),
];

/** The columns of the keys of usage events: their last ones are the first ones of the events. */
export const KEY_COLUMNS: Column<PricedEvent>[] = [FINGERPRINT, ID, OCCURRED_AT];

/** What is sent of a batch: keys and events are both unnested from it, each from where its columns begin. */
export const BATCH_COLUMNS: Column<PricedEvent>[] = [FINGERPRINT, ...EVENT_COLUMNS];

/** The figures of a rollup, which are added up. */
export const FIGURES: Column<RollupRow>[] = [
  plain('requests', 'bigint', row => row.requests),
  plain('input_tokens', 'bigint', row => row.inputTokens),
  plain('output_tokens', 'bigint', row => row.outputTokens),
  plain('cache_read_tokens', 'bigint', row => row.cacheReadTokens),
  plain('cache_write_tokens', 'bigint', row => row.cacheWriteTokens),
  plain('reasoning_tokens', 'bigint', row => row.reasoningTokens),
  plain('cost_usd', 'numeric', row => decimalOf(row.picodollars)),
  plain('unpriced_requests', 'bigint', row => row.unpricedRequests),
];

/** The columns of a rollup: when, whose, and the figures. */
export const ROLLUP_COLUMNS: Column<RollupRow>[] = [
  plain('start', 'timestamptz', row => new Date(row.start).toISOString()),
  plain('user_id', 'uuid', row => row.userId),
  text('model', 'text', row => row.model),
  text('provider', 'text', row => row.provider),
  ...FIGURES,
];

/** `unnest($3::text[], …)`: the rows of array parameters that begin at a number. */
export function unnest(columns: readonly { type: string }[], first: number): string {
  return `unnest(${columns.map(({ type }, at) => `$${at + first}::${type}[]`).join(', ')})`;
}

/** `id, occurred_at, …` */
export function namesOf(columns: readonly { name: string }[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The value of a column; unnest() fills an array that is null up to the length of the others. */
export function valueOf({ name, orElse }: Column<PricedEvent>): string {
  return orElse === undefined ? `batch.${name}` : `coalesce(batch.${name}, ${orElse})`;
}

function decimalOf(picodollars: bigint | null): string | null {
  return picodollars === null ? null : picoToDecimalString(picodollars);
}
