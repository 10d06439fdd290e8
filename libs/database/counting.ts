import type { SqlTransaction } from '#core';

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
