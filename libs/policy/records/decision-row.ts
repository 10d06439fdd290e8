import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';
import type { Decision, DecisionInput, MatchedPolicy } from './decision.js';

/** A decision record; undefined fields are null in the table. */
export interface DecisionRow {
  readonly id: string;
  readonly occurred_at: string;
  readonly user_id?: string | undefined;
  readonly user_email?: string | undefined;
  readonly provider: string;
  readonly model: string;
  readonly action: string;
  readonly allowed: boolean;
  readonly reason: string;
  readonly policies: readonly MatchedPolicy[];
  /**
   * The attributes that the policies evaluated. Its member `attributes` contains the organization's custom attributes.
   */
  readonly attributes: Readonly<Record<string, unknown>> & {
    readonly attributes?: Readonly<Record<string, unknown>> | null | undefined;
  };
  /** The part of the decision about budgets and limits; undefined if none applies. */
  readonly spend?: Pick<Decision, 'reservation' | 'budgets' | 'limits' | 'retry_after_ms'> | undefined;
  readonly idempotency_key?: string | undefined;
  /** Revision of the evaluated policies. */
  readonly policy_revision?: number | undefined;
  /** Share of decisions of this kind that is recorded. */
  readonly sample_rate: number;
  /** The access token that requested the decision; undefined for other credentials. */
  readonly token_id?: string | undefined;
  /** Id of the required approval. The writer of the record sets it. */
  readonly approval_id?: string | undefined;
  /** Data about the required approval. This is not a column. */
  readonly requiredApproval?: AwaitedApproval | undefined;
  /**
   * The request as sent. Stored only if it has an idempotency key, to distinguish a repeated request from a different
   * one.
   */
  readonly request?: DecisionInput | undefined;
}

/** Data about a required approval. */
export interface AwaitedApproval {
  readonly policyId: string;
  readonly policyName: string;
  /** The person as in `granteeOf`. */
  readonly userId: string;
}

/** All columns except that of the organization, with their types, in the order of the statement. */
const COLUMNS = [
  ['id', 'uuid'],
  ['occurred_at', 'timestamptz'],
  ['user_id', 'text'],
  ['user_email', 'text'],
  ['provider', 'text'],
  ['model', 'text'],
  ['action', 'text'],
  ['allowed', 'boolean'],
  ['reason', 'text'],
  ['policies', 'jsonb'],
  ['attributes', 'jsonb'],
  ['spend', 'jsonb'],
  ['idempotency_key', 'text'],
  ['request', 'jsonb'],
  ['approval_id', 'uuid'],
  ['policy_revision', 'bigint'],
  ['sample_rate', 'real'],
  ['token_id', 'uuid'],
] as const satisfies [keyof DecisionRow, string][];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], at) => `$${at + 2}::${type}[]`).join(', ');

// One array per column. PostgreSQL processes this considerably faster than one JSON record per row.
const ROWS = `select * from unnest(${ARRAYS}) as r (${NAMES})`;

const INSERT = `
insert into ${SCHEMA}.decisions (org_id, ${NAMES}) select $1, r.* from (${ROWS}) r`;

// Keys are stored in a separate table, because a unique key of a partitioned table would have to contain the partition
// key. They are inserted in a fixed order, so that two statements cannot deadlock. A key can be used again if its
// record was deleted or is older than the retention.
const INSERT_KEYED = `
with r as materialized (${ROWS}), keyed as (
  insert into ${SCHEMA}.decision_keys as k (org_id, idempotency_key, decision_id)
  select distinct on (r.idempotency_key) $1::uuid, r.idempotency_key, r.id from r where r.idempotency_key is not null
  order by r.idempotency_key, r.id
  on conflict (org_id, idempotency_key) do update set decision_id = excluded.decision_id
  where k.decision_id < ${SCHEMA}.first_id_of((${SCHEMA}.now() at time zone 'UTC')::date - $${COLUMNS.length + 2}::integer)
    or not ${SCHEMA}.has_decision(k.org_id, k.decision_id)
  returning k.decision_id)
insert into ${SCHEMA}.decisions (org_id, ${NAMES})
select $1, r.* from r where r.idempotency_key is null or r.id in (select decision_id from keyed)`;

// For retries only: the rows may already exist if an earlier commit succeeded but its confirmation was lost. This check
// takes a seventh of the time of the statement, so first attempts omit it.
const UNLESS_THERE = ' on conflict do nothing';

/** Options of the insert statement. */
export interface WriteOptions {
  /** Whether a caller waits for the new records. */
  readonly isAwaited: boolean;
  /** Whether the rows may exist already, because this is a retry. */
  readonly isRepeat: boolean;
}

/** Writes rows of one organization in one statement, with one row per idempotency key. Returns the new rows. */
export async function insertDecisions(
  tx: SqlTransaction,
  orgId: string,
  rows: readonly DecisionRow[],
  isRepeat: boolean,
  retentionDays: number,
): Promise<readonly DecisionRow[]> {
  const parameters: unknown[] = [orgId, ...COLUMNS.map(([name, type]) => columnOf(rows, name, type))];
  const isKeyed = rows.some(row => row.idempotency_key !== undefined);
  if (isKeyed) parameters.push(retentionDays);
  const insert = `${isKeyed ? INSERT_KEYED : INSERT}${isRepeat ? UNLESS_THERE : ''}`;
  if (!isKeyed && !isRepeat) {
    await tx.query(insert, parameters);
    return rows;
  }
  const written = await tx.query<{ id: string }>(`${insert} returning id`, parameters);
  const ids = new Set(written.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}

function columnOf(rows: readonly DecisionRow[], name: keyof DecisionRow, type: string): string {
  if (type === 'jsonb') return textArray(rows, row => jsonOf(row[name]));
  if (type === 'boolean') return plainArray(rows, row => (row[name] === true ? 'true' : 'false'));
  if (type === 'real' || type === 'bigint') return plainArray(rows, row => numberOf(row[name]));
  return textArray(rows, row => textOf(row[name]));
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
