import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';

// Locks rows in the order of their ids, so that concurrent batches cannot deadlock. Skips rows that already have a
// later time. Does not increment the version, because no decision depends on the time of last activity.
const RECORD_ACTIVITY = `
with seen as (
  select u.id, s.at
  from unnest($2::uuid[], $3::timestamptz[]) as s (id, at)
  join ${SCHEMA}.users u on u.org_id = $1 and u.id = s.id
  where u.last_active_at is null or u.last_active_at < s.at
  order by u.id
  for no key update of u
)
update ${SCHEMA}.users u set last_active_at = seen.at
from seen where u.org_id = $1 and u.id = seen.id`;

/** Stores the latest time of LLM activity per user. Skips unknown users. */
export async function recordActivity(
  tx: SqlTransaction,
  orgId: string,
  lastSeen: ReadonlyMap<string, Date>,
): Promise<void> {
  if (lastSeen.size === 0) return;
  const seen = [...lastSeen];
  const ids = textArray(seen, ([id]) => id);
  await tx.query(RECORD_ACTIVITY, [orgId, ids, plainArray(seen, ([, time]) => time.toISOString())]);
}
