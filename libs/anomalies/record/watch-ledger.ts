import type { SqlTransaction, TouchedHour } from '#core';
import { bytesArray, plainArray, prepared, SCHEMA } from '#database';
import {
  NEW_ORGANIZATION_WATCH,
  NO_COHORTS,
  packWatch,
  unpackWatch,
  type Cohorts,
  type OrganizationWatch,
} from '../detect/index.js';

/** One pass of the detection over the people of an organization whose usage has changed. */
export interface Pass {
  readonly hours: readonly TouchedHour[];
  /** The last processed person; undefined before the first person. */
  readonly after: string | undefined;
}

/** The detection state of an organization, locked by the transaction that reads it. */
export interface HeldWatch {
  /** The current pass; undefined between two passes. */
  readonly pass: Pass | undefined;
  /** When the last pass ended. */
  readonly passedAt: Date | undefined;
  readonly cohorts: Cohorts;
}

const MAKE = `insert into ${SCHEMA}.anomaly_watches (org_id) values ($1) on conflict do nothing`;

const HOLD = prepared(
  'hold_anomaly_watch',
  `select pass, (extract(epoch from passed_at) * 1000)::text as passed_ms, cohorts
   from ${SCHEMA}.anomaly_watches where org_id = $1 for update skip locked`,
);

const COHORTS = `select cohorts from ${SCHEMA}.anomaly_watches where org_id = $1`;

const KEEP = prepared(
  'keep_anomaly_watch',
  `update ${SCHEMA}.anomaly_watches set pass = $2, passed_at = $3, cohorts = $4 where org_id = $1`,
);

const ORGANIZATION = `select organization from ${SCHEMA}.anomaly_watches where org_id = $1 for update`;
const KEEP_ORGANIZATION = `update ${SCHEMA}.anomaly_watches set organization = $2 where org_id = $1`;

// Needs no row locks, because every transaction that writes these rows has locked the watch of the organization.
const PEOPLE = prepared(
  'read_anomaly_people',
  `select user_id, state from ${SCHEMA}.anomaly_people where org_id = $1 and user_id = any($2::uuid[])`,
);

const KEEP_PEOPLE = prepared(
  'keep_anomaly_people',
  `insert into ${SCHEMA}.anomaly_people as p (org_id, user_id, state, last_day)
   select $1::uuid, k.* from unnest($2::uuid[], $3::bytea[], $4::date[]) as k (user_id, state, last_day)
   on conflict (org_id, user_id)
   do update set state = excluded.state, last_day = greatest(p.last_day, excluded.last_day)`,
);

const FORGET_PEOPLE = `
delete from ${SCHEMA}.anomaly_people p where p.org_id = $1 and p.user_id in (
  select o.user_id from ${SCHEMA}.anomaly_people o where o.org_id = $1 and o.last_day < $2::date limit $3)`;

interface WatchRow {
  readonly pass: {
    readonly hours: readonly (readonly [at: number, touches: number])[];
    readonly after?: string;
  } | null;
  readonly passed_ms: string | null;
  readonly cohorts: string | null;
}

/**
 * Reads the detection state of an organization and locks it until the transaction ends. Undefined if another replica
 * holds the lock.
 */
export async function holdWatch(tx: SqlTransaction, orgId: string): Promise<HeldWatch | undefined> {
  let [row] = await tx.query<WatchRow>(HOLD, [orgId]);
  if (!row) {
    await tx.query(MAKE, [orgId]);
    [row] = await tx.query<WatchRow>(HOLD, [orgId]);
  }
  if (!row) return undefined;
  return {
    pass: row.pass ? { hours: row.pass.hours.map(hourOf), after: row.pass.after } : undefined,
    passedAt: row.passed_ms === null ? undefined : new Date(Number(row.passed_ms)),
    cohorts: row.cohorts === null ? NO_COHORTS : JSON.parse(row.cohorts),
  };
}

/** The current cohorts of an organization, for people with little history. */
export async function readCohorts(tx: SqlTransaction, orgId: string): Promise<Cohorts> {
  const [row] = await tx.query<{ cohorts: string | null }>(COHORTS, [orgId]);
  return row?.cohorts ? JSON.parse(row.cohorts) : NO_COHORTS;
}

/** Stores the progress of a pass and the cohorts. */
export async function keepWatch(tx: SqlTransaction, orgId: string, watch: HeldWatch): Promise<void> {
  const { pass, passedAt, cohorts } = watch;
  const packed = pass && { hours: pass.hours.map(({ hour, touches }) => [hour.getTime(), touches]), after: pass.after };
  const written = packed ? JSON.stringify(packed) : null;
  await tx.query(KEEP, [orgId, written, passedAt?.toISOString() ?? null, JSON.stringify(cohorts)]);
}

/** The hourly state of an organization, locked until the transaction ends. */
export async function organizationWatch(tx: SqlTransaction, orgId: string): Promise<OrganizationWatch> {
  const [row] = await tx.query<{ organization: string | null }>(ORGANIZATION, [orgId]);
  return row?.organization ? JSON.parse(row.organization) : NEW_ORGANIZATION_WATCH;
}

/** Stores the hourly state of an organization. */
export async function keepOrganizationWatch(
  tx: SqlTransaction,
  orgId: string,
  watch: OrganizationWatch,
): Promise<void> {
  await tx.query(KEEP_ORGANIZATION, [orgId, JSON.stringify(watch)]);
}

/** The packed states of some people. Omits people without a state. */
export async function watchesOf(
  tx: SqlTransaction,
  orgId: string,
  userIds: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const ids = plainArray(userIds, id => id);
  const rows = await tx.query<{ user_id: string; state: Buffer }>(PEOPLE, [orgId, ids]);
  return new Map(rows.map(({ user_id, state }) => [user_id, state]));
}

/** A changed packed state, and its newest day as `YYYY-MM-DD`. */
export interface ChangedWatch {
  readonly userId: string;
  readonly packed: Buffer;
  readonly lastDay: string;
}

/** Stores the states of some people. The caller must have locked the watch of their organization. */
export async function keepWatches(tx: SqlTransaction, orgId: string, changed: readonly ChangedWatch[]): Promise<void> {
  if (changed.length === 0) return;
  await tx.query(KEEP_PEOPLE, [
    orgId,
    plainArray(changed, ({ userId }) => userId),
    bytesArray(changed, ({ packed }) => packed.toString('hex')),
    plainArray(changed, ({ lastDay }) => lastDay),
  ]);
}

/** Deletes the states of at most `limit` people without usage since a day (`YYYY-MM-DD`). */
export async function forgetPeople(tx: SqlTransaction, orgId: string, before: string, limit: number): Promise<void> {
  await tx.query(FORGET_PEOPLE, [orgId, before, limit]);
}

/** Bounds of the factor. Feedback cannot move the factor beyond them. */
const TOLERANCE = { least: 0.5, most: 4 } as const;

const HOLD_ORGANIZATION = `select 1 as held from ${SCHEMA}.anomaly_watches where org_id = $1 for update`;
const PERSON = `select state from ${SCHEMA}.anomaly_people where org_id = $1 and user_id = $2`;
const KEEP_PERSON = `update ${SCHEMA}.anomaly_people set state = $3 where org_id = $1 and user_id = $2`;

/**
 * Adjusts the limits of a person; waits for a running step of the detection. Does nothing if the person has no state.
 */
export async function changePersonTolerance(
  tx: SqlTransaction,
  orgId: string,
  userId: string,
  factor: number,
): Promise<void> {
  await tx.query(HOLD_ORGANIZATION, [orgId]);
  const [row] = await tx.query<{ state: Buffer }>(PERSON, [orgId, userId]);
  const watch = row && unpackWatch(row.state);
  if (!watch) return;
  const changed = { ...watch, tolerance: bounded(watch.tolerance * factor) };
  await tx.query(KEEP_PERSON, [orgId, userId, packWatch(changed)]);
}

/** Adjusts the limits of an organization; waits for a running step of the detection. */
export async function changeOrganizationTolerance(tx: SqlTransaction, orgId: string, factor: number): Promise<void> {
  const watch = await organizationWatch(tx, orgId);
  await keepOrganizationWatch(tx, orgId, { ...watch, tolerance: bounded(watch.tolerance * factor) });
}

function bounded(tolerance: number): number {
  return Math.min(TOLERANCE.most, Math.max(TOLERANCE.least, tolerance));
}

function hourOf([at, touches]: readonly [number, number]): TouchedHour {
  return { hour: new Date(at), touches };
}
