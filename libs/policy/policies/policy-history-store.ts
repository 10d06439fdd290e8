import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { canonicalJson, type JsonObject } from '#core';
import { ChangeFeed, sqlOf } from '#database';
import type { PolicyContent } from './policy-rules.js';
import { POLICIES_TOPIC } from '../policy.topic.js';
import { PolicyVersionNotFoundError } from './policy.errors.js';
import {
  authorOf,
  POLICY_VERSIONS,
  VERSION_COLUMNS,
  versionOf,
  type PolicyChange,
  type PolicyVersion,
  type PolicyVersionRow,
} from './policy-version.js';

/** A change of a policy in the form that the history and the audit log store. */
export interface PolicyHistoryEntry {
  readonly policyId: string;
  readonly change: PolicyChange;
  /** Revision that {@link PolicyHistoryStore.begin} returned. */
  readonly revision: number;
  readonly version: number;
  readonly restoredVersion?: number;
  readonly content: PolicyContent;
  /** The content before the change; undefined for a new policy. */
  readonly previous?: PolicyContent | undefined;
  readonly policyCreatedAt: Date;
  readonly changedAt: Date;
  /** The policy in the form of the audit log. `before` is null for a creation, `after` for a deletion. */
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance policy ' || $1::text || ' ' || $2::text, 0))`;

const ENTER = `
insert into ${POLICY_VERSIONS} (org_id, policy_id, version, revision, change, restored_version, changed_fields, content,
  policy_created_at, changed_at, changed_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

const OF_POLICY = `select ${VERSION_COLUMNS} from ${POLICY_VERSIONS} v where v.org_id = $1 and v.policy_id = $2`;

/**
 * Records every change of a policy in its transaction: increments the version of the change feed, and writes a history
 * entry and an audit entry.
 */
@Injectable()
export class PolicyHistoryStore {
  constructor(
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Serializes changes of one policy. Uses an advisory lock, because a deleted policy has no row that could be locked.
   */
  async follow(em: EntityManager, orgId: string, policyId: string): Promise<void> {
    await sqlOf(em).query(LOCK, [orgId, policyId]);
  }

  /**
   * Increments the version of the organization's policies in the change feed, and returns it as the revision of the
   * change. The version stays locked until the commit. No other policy of the organization can therefore change in the
   * meantime, and revisions are in commit order.
   */
  begin(em: EntityManager, orgId: string): Promise<number> {
    return this.changes.mark(em, orgId, POLICIES_TOPIC);
  }

  /** Writes a change to the history and the audit log. */
  async enter(em: EntityManager, actor: Actor, entry: PolicyHistoryEntry): Promise<void> {
    const { policyId, change, content, before, after } = entry;
    await sqlOf(em).query(ENTER, [
      actor.orgId,
      policyId,
      entry.version,
      entry.revision,
      change,
      entry.restoredVersion ?? null,
      fieldsBetween(entry.previous, content),
      JSON.stringify(content),
      entry.policyCreatedAt,
      entry.changedAt,
      JSON.stringify(authorOf(actor)),
    ]);
    await this.audit.append(em, actor, {
      action: `policy.${change}`,
      resourceType: 'policy',
      resourceId: policyId,
      before,
      after,
    });
  }

  /** Call it after the commit. Resolves when decisions on this replica use the change. */
  settle(orgId: string): Promise<void> {
    return this.changes.refresh(orgId);
  }

  /** @throws PolicyVersionNotFoundError */
  async version(em: EntityManager, orgId: string, policyId: string, version: number): Promise<PolicyVersion> {
    const [row] = await sqlOf(em).query<PolicyVersionRow>(`${OF_POLICY} and v.version = $3`, [
      orgId,
      policyId,
      version,
    ]);
    if (!row) throw new PolicyVersionNotFoundError(policyId, version);
    return versionOf(row);
  }

  /** The newest entry of a policy's history. */
  async newest(em: EntityManager, orgId: string, policyId: string): Promise<PolicyVersion | undefined> {
    const [row] = await sqlOf(em).query<PolicyVersionRow>(`${OF_POLICY} order by v.version desc limit 1`, [
      orgId,
      policyId,
    ]);
    return row && versionOf(row);
  }
}

function fieldsBetween(before: PolicyContent | undefined, after: PolicyContent): string[] {
  if (!before) return [];
  const was = new Map<string, unknown>(Object.entries(before));
  return Object.entries(after).flatMap(([field, value]) =>
    canonicalJson(was.get(field)) === canonicalJson(value) ? [] : [field],
  );
}
