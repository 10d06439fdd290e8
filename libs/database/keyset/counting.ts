import { LRUCache } from 'lru-cache';
import { Clock, type SqlTransaction } from '#core';

/** Up to here, counts of lists are exact. */
export const EXACT_COUNT_LIMIT = 10_000;

/**
 * How many rows a query has: exact up to 10,000, beyond that the planner's estimate, so that the count of a list
 * costs the same however long the list is. The query must name no LIMIT of its own.
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

const REMEMBERED_MS = 60_000;
const REMEMBERED_LISTS = 1_000;

/**
 * Remembers the counts of lists that are too long to be counted exactly: the estimate of one minute is as good as the
 * next one's, and finding out that a list is long means reading ten thousand lines of it. Exact counts are remembered
 * only where the caller knows the version of everything that the list depends on, and only for that version.
 */
export class LongListCounts {
  // Read by `peek`, so that the oldest count is forgotten first.
  private readonly known = new LRUCache<string, { count: number; until: number; version: number | undefined }>({
    max: REMEMBERED_LISTS,
  });

  constructor(private readonly clock: Clock) {}

  /**
   * The count of the list that the key names, made by `count` where it is not known.
   * @param version what the list depends on, as of before it is counted
   */
  async of(key: string, count: () => Promise<number>, version?: number): Promise<number> {
    const now = this.clock.now().getTime();
    const found = this.known.peek(key);
    const isSame = found?.version !== undefined && found.version === version;
    if (found && now < found.until && (isSame || found.count > EXACT_COUNT_LIMIT)) return found.count;
    this.known.delete(key);
    const counted = await count();
    if (counted > EXACT_COUNT_LIMIT || version !== undefined) {
      this.known.set(key, { count: counted, until: now + REMEMBERED_MS, version });
    }
    return counted;
  }
}
