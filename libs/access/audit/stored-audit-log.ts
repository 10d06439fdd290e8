import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { canonicalJson, Clock, type JsonObject, Keyring, newId } from '#core';
import { OrgDatabase, sqlOf } from '#database';
import type { Actor } from '../principals/principal.js';
import { securityActorOf } from '../security/security-actor.js';
import { SecurityEventFeed } from '../security/security-event-feed.js';
import { AuditLog, type AuditEntry } from './audit-log.port.js';
import { FIRST_ACTION } from './audit-chain.js';
import { faultOfSeal, sealHead, sealOf } from './head-seal.js';
import { auditInstant, type AuditRow, commitmentOf, GENESIS, hashOfRow, newSalt } from './audit-row.js';

// Locks the head until the transaction ends, so that the rows of an organization are appended one after another.
const NEXT = `
insert into governance.audit_heads as h (org_id, seq, hash) values ($1, 1, $2)
on conflict (org_id) do update set seq = h.seq + 1
returning seq::float8, hash, key_id, mac`;

const APPEND = `
with head as (update governance.audit_heads set hash = $17, key_id = $18, mac = $19 where org_id = $1)
insert into governance.audit_log (org_id, seq, id, occurred_at, actor_kind, actor_id, actor_name, actor_user_id,
  address, request_id, action, resource_type, resource_id, before, after, prev_hash, hash, salt, commitment)
values ($1, $2, $3, $4::timestamptz, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::json, $15::json, $16, $17, $20, $21)`;

/** Actions that revoke access. */
const REVOCATIONS = /\.revoked$|^(user|organization)\.suspended$|^chat_(link|workspace)\.deleted$/;

interface HeadRow {
  seq: number;
  /** Hash of the previous row; the genesis hash for the first row. */
  hash: Buffer;
  /** Seal of the previous head. */
  key_id: string | null;
  mac: Buffer | null;
}

/** The audit log in PostgreSQL: append-only for the app, a SHA-256 chain per organization, with a sealed head. */
@Injectable()
export class StoredAuditLog extends AuditLog {
  constructor(
    private readonly clock: Clock,
    private readonly keyring: Keyring,
    private readonly database: OrgDatabase,
    private readonly events: SecurityEventFeed,
  ) {
    super();
  }

  async append(em: EntityManager, actor: Actor, entry: AuditEntry): Promise<void> {
    // Every transaction locks business rows before the head. If the order varied, transactions could deadlock.
    await em.flush();
    const tx = sqlOf(em);
    const [head] = await tx.query<HeadRow>(NEXT, [actor.orgId, GENESIS]);
    if (!head) throw new Error('The head of the audit log was not returned.');
    const row = rowOf(actor, entry, head.seq, this.clock.now());
    const salt = newSalt();
    const commitment = commitmentOf(salt, row);
    const hash = hashOfRow(head.hash, { ...row, commitment });
    const seal = this.follows(row, head) ? sealHead(this.keyring, row.org_id, { seq: row.seq, hash }) : undefined;
    await tx.query(APPEND, [
      row.org_id,
      row.seq,
      row.id,
      row.occurred_at,
      row.actor_kind,
      row.actor_id,
      row.actor_name,
      row.actor_user_id,
      row.address,
      row.request_id,
      row.action,
      row.resource_type,
      row.resource_id,
      row.before,
      row.after,
      head.hash,
      hash,
      seal?.keyId ?? null,
      seal?.mac ?? null,
      salt,
      commitment,
    ]);
    if (REVOCATIONS.test(entry.action)) this.tell(em, actor, entry);
  }

  private tell(em: EntityManager, actor: Actor, { action, resourceType, resourceId }: AuditEntry): void {
    const { address, requestId } = actor;
    const target = { type: resourceType, id: resourceId };
    const tell = () =>
      this.events.record({
        ...{ type: 'access_revoked', at: this.clock.now(), actor: securityActorOf(actor), address, requestId },
        ...{ route: null, reason: action, target },
      });
    // If the transaction belongs to the host, its commit cannot be observed. The event is then reported at once.
    if (!this.database.afterCommit(em, tell)) tell();
  }

  /**
   * Whether the row may be sealed. It may if it is the first row of a new organization, or if the previous head has a
   * valid seal. A log that was emptied or rewritten without the keyring stays unsealed. Otherwise a later entry would
   * hide the manipulation.
   */
  private follows(row: AuditRow, before: HeadRow): boolean {
    if (row.seq === 1) return row.action === FIRST_ACTION;
    const head = { seq: row.seq - 1, hash: before.hash };
    return faultOfSeal(this.keyring, row.org_id, head, sealOf(before)) === undefined;
  }
}

function rowOf(actor: Actor, entry: AuditEntry, seq: number, now: Date): AuditRow {
  return {
    org_id: actor.orgId.toLowerCase(),
    seq,
    id: newId(now),
    occurred_at: auditInstant(now),
    actor_kind: actor.kind,
    actor_id: storable(actor.id),
    actor_name: storable(actor.name),
    actor_user_id: actor.userId?.toLowerCase() ?? null,
    address: actor.address === null ? null : storable(actor.address),
    request_id: actor.requestId === null ? null : storable(actor.requestId),
    action: storable(entry.action),
    resource_type: storable(entry.resourceType),
    resource_id: storable(entry.resourceId),
    before: jsonText(entry.before),
    after: jsonText(entry.after),
  };
}

/**
 * Names that a host supplies may contain characters that PostgreSQL cannot store. Such a name must not make the audited
 * change fail.
 */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

function jsonText(value: JsonObject | null): string | null {
  return value === null ? null : canonicalJson(value);
}
