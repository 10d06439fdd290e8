import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, textArray } from '#database';
import type { Decision, DecisionInput, MatchedPolicy } from './decision.js';

/** A decision as it is recorded; what is undefined is null in the table. */
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
  /** What the policies were asked about, as it was; `attributes` in it are the organization's own. */
  readonly attributes: Readonly<Record<string, unknown>> & {
    readonly attributes?: Readonly<Record<string, unknown>> | null | undefined;
  };
  /** What of the decision concerns budgets; undefined where none guarded the request. */
  readonly spend?: Pick<Decision, 'reservation' | 'budgets'> | undefined;
  readonly idempotency_key?: string | undefined;
  /** Of the policies that it was judged by. */
  readonly policy_revision?: number | undefined;
  /** The approval that the decision waits for; known when the row is written. */
  approval_id?: string | undefined;
  /** What the approval is to be about; not a column. */
  readonly awaits?: AwaitedApproval | undefined;
  /** As it came; kept only with a key, to tell a repeat from another request. */
  readonly request?: DecisionInput | undefined;
}

/** Whom a policy wants an approval for. */
export interface AwaitedApproval {
  readonly policyId: string;
  readonly policyName: string;
  /** See `granteeOf`. */
  readonly userId: string;
}

/** Columns besides the organization's, with the type of their values, in the order of the statement. */
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
] as const satisfies [keyof DecisionRow, string][];

const NAMES = COLUMNS.map(([name]) => name).join(', ');
const ARRAYS = COLUMNS.map(([, type], at) => `$${at + 2}::${type}[]`).join(', ');

// One array per column: PostgreSQL has clearly less work with it than with a JSON record per row.
// A row that is there already is one whose commit was not heard of, or whose key somebody else has used.
const INSERT = `
insert into ${SCHEMA}.decisions (org_id, ${NAMES})
select $1, r.* from unnest(${ARRAYS}) as r(${NAMES})
on conflict do nothing`;

/** What a row costs to keep and to write, in units of something like half a kilobyte. */
export function weightOf({ policies, attributes }: DecisionRow): number {
  let weight = 1 + policies.length;
  for (const _ in attributes.attributes) weight++;
  return weight;
}

/**
 * Writes rows of one organization in one statement; returns the ids of those that were not there yet, where somebody
 * waits to know.
 */
export async function insertDecisions(
  tx: SqlTransaction,
  orgId: string,
  rows: readonly DecisionRow[],
  isAwaited: boolean,
): Promise<Set<string>> {
  const columns = COLUMNS.map(([name, type]) => columnOf(rows, name, type));
  const written = await tx.query<{ id: string }>(isAwaited ? `${INSERT} returning id` : INSERT, [orgId, ...columns]);
  return new Set(written.map(row => row.id));
}

function columnOf(rows: readonly DecisionRow[], name: keyof DecisionRow, type: string): string {
  if (type === 'jsonb') return textArray(rows, row => jsonOf(row[name]));
  if (type === 'bigint') return plainArray(rows, row => numberOf(row[name]));
  if (type === 'boolean') return plainArray(rows, row => (row[name] === true ? 'true' : 'false'));
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
