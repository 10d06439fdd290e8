import type { SqlTransaction } from '#core';
import { plainArray } from '#database';
import { POLICY_ACTIONS } from '../decide/index.js';
import {
  ENTRY_COLUMNS,
  entryOf,
  POLICY_VERSIONS,
  VERSION_COLUMNS,
  versionOf,
  type PolicyVersion,
  type PolicyVersionEntry,
  type PolicyVersionEntryRow,
  type PolicyVersionRow,
} from '../policies/policy-version.js';

/** Identifies one version of a policy. */
export interface VersionName {
  readonly id: string;
  readonly version: number;
}

/** The number of policies that were in force, and the first ones in the order in which decisions report policies. */
export interface PoliciesInForce {
  /** Total number of these policies, without the limit. */
  readonly total: number;
  readonly first: readonly PolicyVersion[];
}

/** The newest entry of a policy's history, and whether the policy is enabled in it. */
export interface NewestEntry extends PolicyVersionEntry {
  readonly enabled: boolean;
}

const NAMED = `
select ${VERSION_COLUMNS} from unnest($2::uuid[], $3::integer[]) w (policy_id, version)
join ${POLICY_VERSIONS} v on v.org_id = $1 and v.policy_id = w.policy_id and v.version = w.version`;

// Reads the primary key only. The contents are read only for the few policies that are shown.
const IN_FORCE = `
with last as (
  select distinct on (v.policy_id) v.policy_id, v.version, v.change, v.action, v.enabled, v.policy_created_at
  from ${POLICY_VERSIONS} v where v.org_id = $1 and v.revision <= $2
  order by v.policy_id desc, v.version desc),
first as (
  select policy_id, version, count(*) over () as total, row_number() over (
    order by array_position($4::text[], action), policy_created_at, policy_id) as place
  from last where change <> 'deleted' and enabled and policy_id <> all ($3::uuid[])
  order by place limit $5)
select f.total, ${VERSION_COLUMNS} from first f
join ${POLICY_VERSIONS} v on v.org_id = $1 and v.policy_id = f.policy_id and v.version = f.version
order by f.place`;

const NEWEST = `
select distinct on (v.policy_id) v.enabled, ${ENTRY_COLUMNS} from ${POLICY_VERSIONS} v
where v.org_id = $1 and v.policy_id = any ($2::uuid[])
order by v.policy_id desc, v.version desc`;

/** The given versions, by policy. Versions that the history does not contain are omitted. */
export async function versionsNamed(
  tx: SqlTransaction,
  orgId: string,
  names: readonly VersionName[],
): Promise<Map<string, PolicyVersion>> {
  const rows = await tx.query<PolicyVersionRow>(NAMED, [
    orgId,
    plainArray(names, ({ id }) => id),
    plainArray(names, ({ version }) => version),
  ]);
  return new Map(rows.map(row => [row.policy_id, versionOf(row)]));
}

/** The policies that were in force after a revision, except the given ones. */
export async function policiesInForce(
  tx: SqlTransaction,
  orgId: string,
  revision: number,
  { except, limit }: { except: readonly string[]; limit: number },
): Promise<PoliciesInForce> {
  const rows = await tx.query<PolicyVersionRow & { total: string }>(IN_FORCE, [
    orgId,
    revision,
    plainArray(except, id => id),
    [...POLICY_ACTIONS],
    limit,
  ]);
  return { total: Number(rows[0]?.total ?? 0), first: rows.map(versionOf) };
}

/** The newest entry in the history of each policy. */
export async function newestEntries(
  tx: SqlTransaction,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, NewestEntry>> {
  const rows = await tx.query<PolicyVersionEntryRow & { enabled: boolean }>(NEWEST, [orgId, plainArray(ids, id => id)]);
  return new Map(rows.map(row => [row.policy_id, { ...entryOf(row), enabled: row.enabled }]));
}
