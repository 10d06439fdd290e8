import type { PricedEvent } from './priced-event.js';

/** What one user did with one model within one hour or day. */
export interface RollupRow {
  /** First instant of the hour or day, in milliseconds since 1970. */
  start: number;
  userId: string;
  model: string;
  provider: string;
  requests: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  picodollars: bigint;
  unpricedRequests: number;
}

/** The rollups of some events, each list in the one order in which every writer locks the rows. */
export interface Rollup {
  hours: RollupRow[];
  days: RollupRow[];
}

/** Most events that are added up at once: their largest token sums stay exact below 2⁵³. */
export const MAX_EVENTS_AT_ONCE = 8_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Adds up events by hour and by day. */
export function rollUp(events: readonly PricedEvent[]): Rollup {
  const hours = new Map<string, RollupRow>();
  for (const event of events) addEvent(rowOf(hours, event, event.occurredAt.getTime(), HOUR_MS), event);
  const days = new Map<string, RollupRow>();
  for (const hour of hours.values()) addRow(rowOf(days, hour, hour.start, DAY_MS), hour);
  return { hours: inLockOrder(hours), days: inLockOrder(days) };
}

type Whose = Pick<RollupRow, 'userId' | 'model' | 'provider'>;

function rowOf(rows: Map<string, RollupRow>, { userId, model, provider }: Whose, at: number, span: number): RollupRow {
  const start = at - (at % span);
  // NUL stands in none of the texts.
  const key = `${start}\0${userId}\0${model}\0${provider}`;
  let row = rows.get(key);
  if (!row) rows.set(key, (row = emptyRow(start, userId, model, provider)));
  return row;
}

function emptyRow(start: number, userId: string, model: string, provider: string): RollupRow {
  return {
    start,
    userId,
    model,
    provider,
    requests: 0,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    picodollars: 0n,
    unpricedRequests: 0,
  };
}

function addEvent(row: RollupRow, { tokens, cost, requests }: PricedEvent): void {
  row.requests += requests;
  row.inputTokens += tokens.input_tokens;
  row.outputTokens += tokens.output_tokens;
  row.cacheReadTokens += tokens.cache_read_tokens;
  row.cacheWriteTokens += tokens.cache_write_tokens;
  row.reasoningTokens += tokens.reasoning_tokens;
  if (cost.picodollars === null) row.unpricedRequests += requests;
  else row.picodollars += cost.picodollars;
}

function addRow(sum: RollupRow, row: RollupRow): void {
  sum.requests += row.requests;
  sum.inputTokens += row.inputTokens;
  sum.outputTokens += row.outputTokens;
  sum.cacheReadTokens += row.cacheReadTokens;
  sum.cacheWriteTokens += row.cacheWriteTokens;
  sum.reasoningTokens += row.reasoningTokens;
  sum.picodollars += row.picodollars;
  sum.unpricedRequests += row.unpricedRequests;
}

/** Any order does, as long as every writer on every replica has the same. */
function inLockOrder(rows: ReadonlyMap<string, RollupRow>): RollupRow[] {
  return [...rows.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
