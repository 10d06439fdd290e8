import { SCHEMA } from './database.options.js';

/** Position of a topic whose changes the change feed counts. See `LiveTopic`. */
export function markPosition(topic: string): string {
  return `select coalesce((select version from ${SCHEMA}.change_marks where org_id = $1 and topic = '${topic}'), 0)`;
}

// The first 48 bits of an id are its time in milliseconds.
const THREE_SECONDS_BEFORE = `(lpad(to_hex(greatest(0,
  ('x' || lpad(left(replace(n.id::text, '-', ''), 12), 16, '0'))::bit(64)::bigint - 3000)), 12, '0') || repeat('0', 20))::uuid`;

/**
 * Position of an append-only table with the key (organization, time-ordered id). It consists of the highest id, and of
 * the number of rows in the three seconds before it. This number changes if a row is committed after a row with a
 * higher id.
 */
export function newestPosition(table: string): string {
  return `
select n.id || ' ' || (select count(*) from ${SCHEMA}.${table} c where c.org_id = $1 and c.id >= ${THREE_SECONDS_BEFORE})
from (select id from ${SCHEMA}.${table} where org_id = $1 order by id desc limit 1) n`;
}
