import type { SqlTransaction } from '#core';
import { SCHEMA, textArray } from '#database';
import type { EventOutcome, PricedEvent } from './priced-event.js';
import { rollUp, type RollupRow } from './rollup.js';
import { lockUsage } from '../usage-lock.js';
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

/** The result of one call. */
export interface Appended {
  /** One outcome per event, in order. */
  outcomes: EventOutcome[];
  /** The events that were not stored before. */
  inserted: readonly PricedEvent[];
}

/**
 * What the caller expects of a batch. With `new events`, no event of the batch may already be stored. If one is stored,
 * PostgreSQL refuses the statement (see {@link isKnownEvent}), and the transaction fails. Expecting new events avoids
 * the check for conflicts, which costs a third of the insert. Almost no batch has conflicts.
 */
export type Expected = 'new events' | 'anything';

/** Whether an error means that one of the events was already stored. */
export function isKnownEvent(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'code') === UNIQUE_VIOLATION;
}

const UNIQUE_VIOLATION = '23505';

// $1 is the organization, and $2 the time of receipt. The columns of the batch follow: the fingerprints, which only the
// keys use; the ids and times, which keys and events use; then the columns that only the events use.
const FIRST_OF_KEYS = 3;
const FIRST_OF_EVENTS = FIRST_OF_KEYS + KEY_COLUMNS.findIndex(({ name }) => name === 'id');

// Both statements write the keys of event ids first. Only the transaction that has written a key stores the event.
// Concurrent transactions therefore wait for keys and never for events.
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

/** Returns the number of new events. If some events were already stored, also returns the ids of the new ones. */
const INSERT_MISSING = `
with keys as (${INSERT_KEYS} on conflict do nothing returning id),
events as (${INSERT_EVENTS} join keys on keys.id = batch.id)
select count(*)::integer as inserted,
  case when count(*) < cardinality($${FIRST_OF_EVENTS}::text[]) then json_agg(id)::text end as ids
from keys`;

/** The columns that are sent to the database for a table. */
const columnsOf = ({ key }: RollupTable): readonly Column<RollupRow>[] => [...key, ...SUMS];

/** SQL that adds rows to a table, but only if the CTE named `after` has a row. */
function upsert(table: RollupTable, firstParameter: number, after?: string): string {
  const columns = columnsOf(table);
  return `
insert into ${SCHEMA}.${table.name} as stored (org_id, ${namesOf(columns)})
select $1::uuid, batch.* from ${after ? `${after}, ` : ''}${unnest(columns, firstParameter)} as batch
on conflict (org_id, ${namesOf(table.key)})
do update set ${SUMS.map(({ name }) => `${name} = stored.${name} + excluded.${name}`).join(', ')}
returning 1`;
}

// Readers of the rollups find in this table which hours have changed.
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
 * Stores events and adds the new ones to the rollups, all in the caller's transaction. Of events with the same id, the
 * first is stored and the others are compared with it. Rows are always locked in one order, so that concurrent batches
 * cannot deadlock. At most 8,000 events, so that sums stay exact.
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
    await lockUsage(tx, orgId);
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
  /** Ids that were already stored. */
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
  // INSERT_MISSING has produced this list.
  const ids = new Set(JSON.parse(result?.ids ?? '[]') as string[]);
  const inserted = events.filter(event => ids.has(event.id));
  return { inserted, refused: events.filter(event => !ids.has(event.id)).map(event => event.id) };
}

async function fingerprintsOf(tx: SqlTransaction, orgId: string, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await tx.query<{ id: string; fingerprint: string }>(FINGERPRINTS, [orgId, textArray(ids, id => id)]);
  // The events were deleted between the insert, which found them, and this read. The next attempt can store them.
  if (rows.length < ids.length)
    throw Object.assign(new Error('Usage events were deleted during the transaction.'), { code: '40001' });
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
