import { newId, type SqlTransaction } from '#core';
import { isoTime, plainArray, SCHEMA } from '#database';
import type { AttemptTrigger } from '../decide/index.js';
import type { ShownAttempt } from './delivery.js';

interface AttemptRow {
  delivery_id: string;
  number: number;
  trigger: AttemptTrigger;
  started_at: string;
  duration_ms: number | null;
  http_status: number | null;
  response_body: Buffer | null;
  response_truncated: boolean;
  error: string | null;
}

/** The clocks of replicas may differ. An attempt is found even if its time lies up to this much before its delivery. */
const CLOCKS_DIFFER_MS = 86_400_000;

// Ids contain the time. The query therefore skips the partitions of days before the oldest delivery.
const READ = `
select a.delivery_id, a.number, a.trigger, ${isoTime('a.started_at')} as started_at, a.duration_ms, a.http_status,
  a.response_body, a.response_truncated, a.error
from unnest($2::uuid[]) as d (id) cross join lateral (
  select * from ${SCHEMA}.webhook_attempts a
  where a.org_id = $1 and a.delivery_id = d.id and a.id >= $3::uuid
  order by a.number desc, a.id desc limit $4) a
order by a.number, a.id`;

/** The latest attempts of each delivery, at most `latest`, in chronological order. */
export async function readAttempts(
  tx: SqlTransaction,
  orgId: string,
  deliveries: readonly { id: string; created_at: string }[],
  latest: number,
): Promise<Map<string, ShownAttempt[]>> {
  const found = new Map<string, ShownAttempt[]>(deliveries.map(({ id }) => [id, []]));
  if (deliveries.length === 0) return found;
  const oldest = Math.min(...deliveries.map(delivery => Date.parse(delivery.created_at)));
  const from = newId(new Date(Math.max(0, oldest - CLOCKS_DIFFER_MS)), Buffer.alloc(10));
  const ids = plainArray(deliveries, delivery => delivery.id);
  for (const row of await tx.query<AttemptRow>(READ, [orgId, ids, from, latest])) {
    found.get(row.delivery_id)?.push(shown(row));
  }
  return found;
}

/** Decodes UTF-8. Invalid bytes become U+FFFD; NUL is kept. */
function shown(row: AttemptRow): ShownAttempt {
  const { number, trigger, started_at, duration_ms, http_status, response_truncated, error } = row;
  const response_body = row.response_body === null ? null : row.response_body.toString('utf8');
  return { number, trigger, started_at, duration_ms, http_status, response_body, response_truncated, error };
}
