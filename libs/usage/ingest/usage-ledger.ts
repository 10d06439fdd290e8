import type { SqlTransaction } from '#core';
import { SCHEMA, textArray } from '#database';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { rollUp, type RollupRow } from './rollup.js';
import { takeTurn } from '../usage-turn.js';
import {
  BATCH_COLUMNS,
  DAILY,
  EVENT_COLUMNS,
  HOURLY,
  KEY_COLUMNS,
  namesOf,
  SUMS,
  TOTALS,
  unnest,
  valueOf,
  type Column,
  type RollupTable,
} from './usage-columns.js';

/** What became of the events of one call. */
export interface Appended {
  /** One outcome per event, at its place. */
  outcomes: EventOutcome[];
  /** The events that are new. */
  inserted: readonly PricedEvent[];
}

/**
 * What the caller expects of a batch. `new events`: none is there already; if one is, PostgreSQL refuses the statement
 * (see {@link isKnownEvent}) and the transaction is lost. Looking for conflicts costs a third of the insert, and almost
 * every batch has none.
 */
export type Expected = 'new events' | 'anything';

/** Whether an error says that one of the events is there already. */
export function isKnownEvent(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === UNIQUE_VIOLATION;
}

const UNIQUE_VIOLATION = '23505';

// $1 is the organization, $2 the time of receipt; the batch follows: fingerprints, which are of the keys alone, then
// ids and times, which keys and events have both, then what is of the events alone.
const FIRST_OF_KEYS = 3;
const FIRST_OF_EVENTS = FIRST_OF_KEYS + KEY_COLUMNS.findIndex(({ name }) => name === 'id');

// Keys come first in both statements: whoever has the key of an id stores its event, and nobody waits for an event.
const INSERT_KEYS = `
insert into ${SCHEMA}.usage_event_keys (org_id, ${namesOf(KEY_COLUMNS)})
select $1::uuid, batch.* from ${unnest(KEY_COLUMNS, FIRST_OF_KEYS)} as batch`;

const INSERT_EVENTS = `
insert into ${SCHEMA}.usage_events (org_id, received_at, ${namesOf(EVENT_COLUMNS)})
select $1::uuid, $2::timestamptz, ${EVENT_COLUMNS.map(valueOf).join(', ')}
from ${unnest(EVENT_COLUMNS, FIRST_OF_EVENTS)} as batch (${namesOf(EVENT_COLUMNS)})`;

const INSERT_NEW = `
with keys as (${INSERT_KEYS} returning 1)
${INSERT_EVENTS} where (select count(*) from keys) > 0`;

/** Answers how many events are new and, where not all of them are, which. */
const INSERT_MISSING = `
with keys as (${INSERT_KEYS} on conflict do nothing returning id),
events as (${INSERT_EVENTS} join keys on keys.id = batch.id)
select count(*)::integer as inserted,
  case when count(*) < cardinality($${FIRST_OF_EVENTS}::text[]) then json_agg(id)::text end as ids
from keys`;

/** The columns that are sent of the rows of a table. */
const columnsOf = ({ key }: RollupTable): readonly Column<RollupRow>[] => [...key, ...SUMS];

/** Adds rows to a table; only where a CTE `after` of one row has that row. */
function upsert(table: RollupTable, firstParameter: number, after?: string): string {
  const columns = columnsOf(table);
  return `
insert into ${SCHEMA}.${table.name} as stored (org_id, ${namesOf(columns)})
select $1::uuid, batch.* from ${after ? `${after}, ` : ''}${unnest(columns, firstParameter)} as batch
on conflict (org_id, ${namesOf(table.key)})
do update set ${SUMS.map(({ name }) => `${name} = stored.${name} + excluded.${name}`).join(', ')}
returning 1`;
}

// Whoever follows the rollups learns by it which hours to read again.
const TOUCH_HOURS = `
insert into ${SCHEMA}.usage_touched_hours as stored (org_id, hour, touches)
select distinct $1::uuid, hour, 1 from unnest($2::timestamptz[]) as touched (hour)
on conflict (org_id, hour) do update set touches = stored.touches + 1`;

const FIRST_OF_DAYS = 2 + columnsOf(HOURLY).length;
const FIRST_OF_TOTALS = FIRST_OF_DAYS + columnsOf(DAILY).length;

const ADD_TO_ROLLUPS = `
with hours as (${upsert(HOURLY, 2)}),
touched as (${TOUCH_HOURS}),
written as (select from (select count(*) as n from hours) c where c.n > 0),
totals as (${upsert(TOTALS, FIRST_OF_TOTALS, 'written')}),
summed as (select from (select count(*) as n from totals) c where c.n > 0)
${upsert(DAILY, FIRST_OF_DAYS, 'summed')}`;

const FINGERPRINTS = `
select id, encode(fingerprint, 'hex') as fingerprint
from ${SCHEMA}.usage_event_keys where org_id = $1 and id = any($2::text[])`;

/**
 * Stores events and adds the new ones to the rollups, all in the caller's transaction. Of events with one id the first
 * is stored and the others are compared with it. Rows are locked in one order whatever the batch, so that batches which
 * run at the same time never wait for each other in a circle. At most 8,000 events, so that sums stay exact.
 */
export async function appendEvents(
  tx: SqlTransaction,
  orgId: string,
  events: readonly PricedEvent[],
  receivedAt: Date,
  expected: Expected = 'anything',
): Promise<Appended> {
  const firsts = new Map<string, PricedEvent>();
  for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event);
  const sorted = [...firsts.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const { inserted, refused } = await insertNew(tx, orgId, sorted, receivedAt, expected);
  const stored = refused.length === 0 ? new Map<string, string>() : await fingerprintsOf(tx, orgId, refused);
  if (inserted.length > 0) {
    const rollups = rollupParameters(inserted);
    await takeTurn(tx, orgId);
    await tx.query(ADD_TO_ROLLUPS, [orgId, ...rollups]);
  }
  const outcomes = events.map(event => {
    const first = firsts.get(event.id);
    const existing = stored.get(event.id);
    if (event === first && existing === undefined) return 'accepted';
    return event.fingerprint === (existing ?? first?.fingerprint) ? 'duplicate' : 'conflict';
  });
  return { outcomes, inserted };
}

interface Insertion {
  inserted: readonly PricedEvent[];
  /** Ids that were there before. */
  refused: readonly string[];
}

async function insertNew(
  tx: SqlTransaction,
  orgId: string,
  events: readonly PricedEvent[],
  receivedAt: Date,
  expected: Expected,
): Promise<Insertion> {
  const parameters = [orgId, receivedAt.toISOString(), ...eventParameters(events)];
  if (expected === 'new events') {
    await tx.query(INSERT_NEW, parameters);
    return { inserted: events, refused: [] };
  }
  const [result] = await tx.query<{ inserted: number; ids: string | null }>(INSERT_MISSING, parameters);
  if (result?.inserted === events.length) return { inserted: events, refused: [] };
  // The statement above wrote this list itself.
  const ids = new Set(JSON.parse(result?.ids ?? '[]') as string[]);
  const inserted = events.filter(event => ids.has(event.id));
  return { inserted, refused: events.filter(event => !ids.has(event.id)).map(event => event.id) };
}

async function fingerprintsOf(tx: SqlTransaction, orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; fingerprint: string }>(FINGERPRINTS, [orgId, textArray(ids, id => id)]);
  // Deleted since the insert met them: the next attempt can store them.
  if (rows.length < ids.length)
    throw Object.assign(new Error('Usage events were deleted meanwhile.'), { code: '40001' });
  return new Map(rows.map(row => [row.id, row.fingerprint]));
}

function eventParameters(events: readonly PricedEvent[]): (string | null)[] {
  return BATCH_COLUMNS.map(column => column.write(events));
}

function rollupParameters(events: readonly PricedEvent[]): (string | null)[] {
  const { quarters, days, totals } = rollUp(events);
  const write = (table: RollupTable, rows: readonly RollupRow[]) => columnsOf(table).map(each => each.write(rows));
  return [...write(HOURLY, quarters), ...write(DAILY, days), ...write(TOTALS, totals)];
}
