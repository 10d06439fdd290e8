import type { SqlTransaction } from '#core';
import { plainArray, prepared, SCHEMA } from '#database';
import type { DecisionRow } from './decision-row.js';

/** Hits of one policy in one quarter of an hour. */
interface HitCount {
  readonly policyId: string;
  /** Start of the quarter of an hour, in milliseconds since the epoch. */
  readonly quarter: number;
  hits: number;
  decided: number;
  refused: number;
  /** Time of the latest hit, as text. */
  lastAt: string;
}

// A quarter of an hour in milliseconds. In every time zone, days begin at a quarter of an hour.
const QUARTER_MS = 900_000;

// The rows are in the order of the key, so that all transactions lock them in the same order.
const ADD = prepared(
  'add_policy_hits',
  `
insert into ${SCHEMA}.policy_hits as h (org_id, policy_id, quarter, hits, decided, refused, last_at)
select $1, c.* from unnest($2::uuid[], $3::timestamptz[], $4::float8[], $5::float8[], $6::float8[], $7::timestamptz[])
  as c (policy_id, quarter, hits, decided, refused, last_at)
on conflict (org_id, policy_id, quarter) do update set hits = h.hits + excluded.hits,
  decided = h.decided + excluded.decided, refused = h.refused + excluded.refused,
  last_at = greatest(h.last_at, excluded.last_at)`,
);

/** Adds the hits of new records to the counts of their policies. If no policy matched, nothing is written. */
export async function addHits(tx: SqlTransaction, orgId: string, rows: readonly DecisionRow[]): Promise<void> {
  const counts = hitCountsOf(rows);
  if (counts.length === 0) return;
  await tx.query(ADD, [
    orgId,
    plainArray(counts, ({ policyId }) => policyId),
    plainArray(counts, ({ quarter }) => new Date(quarter).toISOString()),
    plainArray(counts, ({ hits }) => hits),
    plainArray(counts, ({ decided }) => decided),
    plainArray(counts, ({ refused }) => refused),
    plainArray(counts, ({ lastAt }) => lastAt),
  ]);
}

/**
 * The hits per policy and quarter of an hour, ordered by both. If decisions are sampled, a record counts as all
 * decisions that it represents.
 */
export function hitCountsOf(rows: readonly DecisionRow[]): HitCount[] {
  const counts = new Map<string, HitCount>();
  for (const { policies, occurred_at, allowed, sample_rate } of rows) {
    if (policies.length === 0) continue;
    const time = Date.parse(occurred_at);
    const quarter = time - (time % QUARTER_MS);
    const weight = 1 / sample_rate;
    for (const [at, { id: policyId }] of policies.entries()) {
      const key = `${policyId} ${quarter}`;
      let count = counts.get(key);
      if (!count) {
        count = { policyId, quarter, hits: 0, decided: 0, refused: 0, lastAt: occurred_at };
        counts.set(key, count);
      }
      count.hits += weight;
      // The first policy of a record determined the action.
      if (at === 0) count.decided += weight;
      if (!allowed) count.refused += weight;
      if (occurred_at > count.lastAt) count.lastAt = occurred_at;
    }
  }
  return [...counts.values()].sort(byKey);
}

function byKey(a: HitCount, b: HitCount): number {
  if (a.policyId !== b.policyId) return a.policyId < b.policyId ? -1 : 1;
  return a.quarter - b.quarter;
}
