import type { Actor } from '#access';
import { SCHEMA } from '#database';
import type { PolicyContent } from './policy-rules.js';

/** Kinds of changes of a policy. */
export const POLICY_CHANGES = ['created', 'updated', 'restored', 'deleted'] as const;

/** Kind of a change of a policy. */
export type PolicyChange = (typeof POLICY_CHANGES)[number];

/** The author of a change. */
export interface PolicyAuthor {
  readonly kind: Actor['kind'];
  /** Id of the token or subject; never a secret. */
  readonly id: string;
  readonly name: string;
  /** The user to whom the credential belongs, if any. */
  readonly user_id: string | null;
}

/** One entry of a policy's history, without the content. */
export interface PolicyVersionEntry {
  readonly orgId: string;
  readonly policyId: string;
  /** Increases by one with each entry. A deletion is also an entry. */
  readonly version: number;
  readonly change: PolicyChange;
  /** The version whose content was restored; null if the change was not a restore. */
  readonly restoredVersion: number | null;
  /** Fields that differ from the previous version. Empty for the first version and for a deletion. */
  readonly changedFields: readonly (keyof PolicyContent)[];
  /** Name of the policy in this version. */
  readonly name: string;
  readonly policyCreatedAt: Date;
  readonly changedAt: Date;
  readonly changedBy: PolicyAuthor;
}

/** One version of a policy: an entry of its history with the content. */
export interface PolicyVersion extends PolicyVersionEntry {
  /** Content of the version. For a deletion, the content before the deletion. */
  readonly content: PolicyContent;
}

/** The columns of an entry. */
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

/** The columns of a version. */
export interface PolicyVersionRow extends PolicyVersionEntryRow {
  content: PolicyContent;
}

/** Name of the table, for SQL statements. */
export const POLICY_VERSIONS = `${SCHEMA}.policy_versions`;

/** Columns of {@link PolicyVersionEntryRow}. The alias of the table is `v`. */
export const ENTRY_COLUMNS = `v.org_id, v.policy_id, v.version, v.change, v.restored_version, v.changed_fields,
  v.content ->> 'name' as name, v.policy_created_at, v.changed_at, v.changed_by`;

/** Columns of {@link PolicyVersionRow}. The alias of the table is `v`. */
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
  // The keys are sorted for readers, because jsonb does not keep their order.
  const { name, description, model, action, conditions, enabled, severity } = row.content;
  return { ...entryOf(row), content: { name, description, model, action, conditions, enabled, severity } };
}

/**
 * The stored form of an actor. Characters that PostgreSQL cannot store are replaced, because hosts choose the names.
 */
export function authorOf({ kind, id, name, userId }: Actor): PolicyAuthor {
  return { kind, id: storable(id), name: storable(name), user_id: userId === undefined ? null : storable(userId) };
}

function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
