import { firstIdAt, type SqlTransaction } from '#core';
import { isoTime, plainArray, plainSql, SCHEMA, sql, type Sql, type Statement } from '#database';
import { timeOf } from './decision-ids.js';
import type { DecisionOrder } from './ordered-decisions.js';

const QUARTER_MS = 900_000;

/** Number of quarters of an hour that the first statement reads. Each further statement reads four times as many. */
const QUARTERS_AT_FIRST = 1;
const GROWTH = 4;

/** The decisions of an organization in which a policy matched. */
interface HitDecisions {
  readonly orgId: string;
  readonly policyId: string;
  /** Conditions on columns other than the organization and the policies. */
  readonly where: Sql;
}

/** The page of decisions to read. */
interface HitPage {
  readonly columns: string;
  readonly limit: number;
  readonly order: DecisionOrder;
  /** Id of a decision. Only decisions that come after it in the order are read. */
  readonly after?: string | undefined;
}

const DECISIONS = plainSql(`${SCHEMA}.decisions`);
const HITS = plainSql(`${SCHEMA}.policy_hits`);

/** SQL expression for the smallest possible id of the time in a column. */
const firstId = (column: string) =>
  plainSql(`(lpad(to_hex((extract(epoch from ${column}) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid`);

/**
 * Reads decisions in which a policy matched, in order. No index contains the policies of decisions. Only quarters of an
 * hour in which hits of the policy were counted are therefore read: first one, then more at a time, until the page is
 * full.
 */
export async function hitDecisions<Row extends object>(
  tx: SqlTransaction,
  decisions: HitDecisions,
  { columns, limit, order, after }: HitPage,
): Promise<Row[]> {
  const { orgId, policyId } = decisions;
  const isNewest = order === 'newest';
  const direction = plainSql(isNewest ? 'desc' : 'asc');
  const place =
    after === undefined
      ? plainSql('')
      : sql`and ${plainSql(isNewest ? 'h.quarter <=' : `h.quarter + interval '15 minutes' >`)} ${new Date(timeOf(after)).toISOString()}::timestamptz`;
  const quarters = await rowsOf<{ quarter: string }>(
    tx,
    sql`select ${plainSql(isoTime('h.quarter'))} as quarter from ${HITS} h
      where h.org_id = ${orgId} and h.policy_id = ${policyId}::uuid ${place} order by h.quarter ${direction}`,
  );
  const beyond = after === undefined ? plainSql('') : sql`and id ${plainSql(isNewest ? '<' : '>')} ${after}::uuid`;
  const found: Row[] = [];
  for (let at = 0, size = QUARTERS_AT_FIRST; at < quarters.length && found.length < limit; at += size, size *= GROWTH) {
    const starts = quarters.slice(at, at + size).map(({ quarter }) => Date.parse(quarter));
    const idsAt = (shift: number) => plainArray(starts, start => firstIdAt(new Date(start + shift)));
    const some = sql`select d.* from unnest(${idsAt(0)}::uuid[], ${idsAt(QUARTER_MS)}::uuid[]) as q (first, next)
      cross join lateral (
        select ${plainSql(columns)} from ${matching(decisions)} and id >= q.first and id < q.next ${beyond}) d
      order by d.id ${direction} limit ${limit - found.length}`;
    found.push(...(await rowsOf<Row>(tx, some)));
  }
  return found;
}

/** A statement that returns each of these decisions once, to count them. */
export function countedHitDecisions(decisions: HitDecisions): Statement {
  const { orgId, policyId } = decisions;
  return sql`select 1 from ${HITS} h cross join lateral (
      select from ${matching(decisions)} and id >= ${firstId('h.quarter')}
        and id < ${firstId(`(h.quarter + interval '15 minutes')`)}) d
    where h.org_id = ${orgId} and h.policy_id = ${policyId}::uuid`.statement;
}

function matching({ policyId, where }: HitDecisions): Sql {
  const matched = JSON.stringify([{ id: policyId }]);
  return sql`${DECISIONS} where ${where} and policies @> ${matched}::jsonb`;
}

function rowsOf<Row extends object>(tx: SqlTransaction, query: Sql): Promise<Row[]> {
  const { sql: text, parameters } = query.statement;
  return tx.query<Row>(text, parameters);
}
