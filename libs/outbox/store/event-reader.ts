import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import type { SentEventType } from '../events/index.js';

// Uses one index lookup per id. Otherwise the planner might scan whole partitions for a few ids.
const READ = prepared(
  'read_events',
  `
select e.id, e.type, e.body from unnest($2::uuid[]) as wanted (id) cross join lateral (
  select e.id, e.type, e.body from ${SCHEMA}.events e where e.org_id = $1 and e.id = wanted.id offset 0) e`,
);

/** An event as it is stored. */
export interface StoredEvent {
  readonly id: string;
  readonly type: SentEventType;
  /** The envelope, as the bytes that are signed and sent. */
  readonly body: Buffer;
}

/** Stored events by id. Deleted events are omitted. */
export async function readEvents(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, StoredEvent>> {
  const wanted = [...new Set(ids)];
  const rows = await sqlOf(em).query<StoredEvent>(READ, [orgId, plainArray(wanted, id => id)]);
  return new Map(rows.map(row => [row.id, row]));
}
