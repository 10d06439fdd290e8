import { LRUCache } from 'lru-cache';
import { Clock, type SqlTransaction } from '#core';

/** Up to this number, lists are counted exactly. */
export const EXACT_COUNT_LIMIT = 10_000;

/**
 * Counts the rows of a query: exactly up to 10,000, and above that by the planner's estimate. The estimate limits the
 * cost for long lists. The query must not contain a LIMIT.
 */
export async function countRows(tx: SqlTransaction, sql: string, parameters: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ count: string }>(
    `select count(*) from (select 1 from (${sql}) counted limit ${EXACT_COUNT_LIMIT + 1}) bounded`,
    parameters,
  );
  const count = Number(row?.count ?? 0);
  if (count <= EXACT_COUNT_LIMIT) return count;
  const [plan] = await tx.query<{ 'QUERY PLAN': unknown }>(`explain (format json) ${sql}`, parameters);
  return Math.max(count, plannedRows(plan?.['QUERY PLAN']));
}

function plannedRows(plan: unknown): number {
  const top: unknown = Array.isArray(plan) ? plan[0] : plan;
  if (typeof top !== 'object' || top === null || !('Plan' in top)) return 0;
  const node = top.Plan;
  const rows: unknown = typeof node === 'object' && node !== null ? Reflect.get(node, 'Plan Rows') : 0;
  return typeof rows === 'number' ? Math.round(rows) : 0;
}

const CACHE_MS = 60_000;
const CACHED_LISTS = 1_000;

/**
 * Caches counts for one minute. Estimated counts of long lists are always cached, because each estimate first reads
 * 10,000 rows. An exact count is cached only if the caller supplies the version of the data, and is used only for that
 * version.
 */
export class LongListCounts {
  // Reading with `peek` does not change the order, so the count that was inserted first is evicted first.
  private readonly known = new LRUCache<string, { count: number; until: number; version: number | undefined }>({
    max: CACHED_LISTS,
  });

  constructor(private readonly clock: Clock) {}

  /**
   * Returns the cached count for the key, or calls `count`.
   * @param version version of the data that the list depends on, read before counting
   */
  async of(key: string, count: () => Promise<number>, version?: number): Promise<number> {
    const now = this.clock.now().getTime();
    const found = this.known.peek(key);
    const isSame = found?.version !== undefined && found.version === version;
    if (found && now < found.until && (isSame || found.count > EXACT_COUNT_LIMIT)) return found.count;
    this.known.delete(key);
    const counted = await count();
    if (counted > EXACT_COUNT_LIMIT || version !== undefined) {
      this.known.set(key, { count: counted, until: now + CACHE_MS, version });
    }
    return counted;
  }
}
