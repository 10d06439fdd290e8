import type { Actor } from '#access';
import { SCHEMA } from '#database';
import type { PolicyContent } from './policy-rules.js';

/** What can happen to a policy. */
export const POLICY_CHANGES = ['created', 'updated', 'restored', 'deleted'] as const;

/** What can happen to a policy. */
export type PolicyChange = (typeof POLICY_CHANGES)[number];

/** Who has changed a policy. */
export interface PolicyAuthor {
  readonly kind: Actor['kind'];
  /** The token's or the subject's identifier; never a secret. */
  readonly id: string;
  readonly name: string;
  /** The user behind the credential, where there is one. */
  readonly user_id: string | null;
}

/** One entry of a policy's history: what happened. */
export interface PolicyVersionEntry {
  readonly orgId: string;
  readonly policyId: string;
  /** Grows by one with each entry; that a policy was deleted is an entry, too. */
  readonly version: number;
  readonly change: PolicyChange;
  /** Where it was restored: which version's content it has. */
  readonly restoredVersion: number | null;
  /** What differs from the version before; empty for the first one and for a deletion. */
  readonly changedFields: readonly (keyof PolicyContent)[];
  /** What the policy was called. */
  readonly name: string;
  readonly policyCreatedAt: Date;
  readonly changedAt: Date;
  readonly changedBy: PolicyAuthor;
}

/** One version of a policy: an entry of its history, with what the policy says since. */
export interface PolicyVersion extends PolicyVersionEntry {
  /** Of a deletion, what it said last. */
  readonly content: PolicyContent;
}

/** An entry as the columns have it. */
export interface PolicyVersionEntryRow {
  org_id: string;
  policy_id: string;
  version: number;
  change: PolicyChange;
  restored_version: number | null;
  changed_fields: (keyof PolicyContent)[];
  name: string;
  policy_created_at: Date | string;
  changed_at: Date | string;
  changed_by: PolicyAuthor;
}

/** A version as the columns have it. */
export interface PolicyVersionRow extends PolicyVersionEntryRow {
  content: PolicyContent;
}

/** The table, for statements. */
export const POLICY_VERSIONS = `${SCHEMA}.policy_versions`;

/** Columns of {@link PolicyVersionEntryRow}, of a table called `v`. */
export const ENTRY_COLUMNS = `v.org_id, v.policy_id, v.version, v.change, v.restored_version, v.changed_fields,
  v.content ->> 'name' as name, v.policy_created_at, v.changed_at, v.changed_by`;

/** Columns of {@link PolicyVersionRow}, of a table called `v`. */
export const VERSION_COLUMNS = `${ENTRY_COLUMNS}, v.content`;

export function entryOf(row: PolicyVersionEntryRow): PolicyVersionEntry {
  return {
    orgId: row.org_id,
    policyId: row.policy_id,
    version: row.version,
    change: row.change,
    restoredVersion: row.restored_version,
    changedFields: row.changed_fields,
    name: row.name,
    policyCreatedAt: new Date(row.policy_created_at),
    changedAt: new Date(row.changed_at),
    changedBy: row.changed_by,
  };
}

export function versionOf(row: PolicyVersionRow): PolicyVersion {
  // In the order in which people read them; PostgreSQL keeps another one.
  const { name, description, model, action, conditions, enabled, severity } = row.content;
  return { ...entryOf(row), content: { name, description, model, action, conditions, enabled, severity } };
}

/** What is kept of an actor beside a change. A host's names may hold what PostgreSQL cannot. */
export function authorOf({ kind, id, name, userId }: Actor): PolicyAuthor {
  return { kind, id: storable(id), name: storable(name), user_id: userId === undefined ? null : storable(userId) };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
