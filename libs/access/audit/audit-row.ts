import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '#core';

/** A row of the audit log in the form in which it is hashed: every column as stored, converted to text. */
export interface AuditRow {
  org_id: string;
  seq: number;
  id: string;
  /** UTC with six decimals, the precision of the column: `2026-11-20T13:00:00.000000Z`. */
  occurred_at: string;
  actor_kind: string;
  actor_id: string;
  actor_name: string;
  actor_user_id: string | null;
  address: string | null;
  request_id: string | null;
  action: string;
  resource_type: string;
  resource_id: string;
  /** JSON text, unchanged. */
  before: string | null;
  /** JSON text, unchanged. */
  after: string | null;
}

/** Hash that the first row uses as its previous hash. */
export const GENESIS = Buffer.alloc(32);

/** Selects the columns of {@link AuditRow} in the form in which they are hashed. */
export const AUDIT_COLUMNS = `
  org_id::text, seq::float8, id::text,
  to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as occurred_at,
  actor_kind, actor_id, actor_name, actor_user_id::text, address, request_id, action, resource_type, resource_id,
  before::text, after::text`;

/** Data of the chain that is stored beside the row. */
export interface Commitment {
  /** Random; replaced when a person is erased from the row. */
  salt: Buffer;
  /** SHA-256 of the row's original salt and original content. An erasure does not change it. */
  commitment: Buffer;
}

/** Columns that contain the content of the row. They may contain personal data, and only an erasure changes them. */
export const CONTENT_COLUMNS = ['actor_id', 'actor_name', 'address', 'request_id', 'before', 'after'] as const;

/** The content of a row. */
export type AuditContent = Pick<AuditRow, (typeof CONTENT_COLUMNS)[number]>;

/** A new random salt. Without it, the content could be guessed and compared with the commitment. */
export function newSalt(): Buffer {
  return randomBytes(32);
}

/** SHA-256 over the salt and the content in canonical JSON. */
export function commitmentOf(salt: Buffer, content: AuditContent): Buffer {
  // Copies field by field, so that other columns of the row do not enter the hash.
  const hashed: AuditContent = {
    actor_id: content.actor_id,
    actor_name: content.actor_name,
    address: content.address,
    request_id: content.request_id,
    before: content.before,
    after: content.after,
  };
  return createHash('sha256').update(salt).update(canonicalJson(hashed), 'utf8').digest();
}

/**
 * SHA-256 of the previous hash and the row in canonical JSON. The row's content is represented by its commitment, so
 * that the chain stays valid after an erasure.
 */
export function hashOfRow(previous: Buffer, row: AuditRow & Pick<Commitment, 'commitment'>): Buffer {
  const hashed = {
    org_id: row.org_id,
    seq: row.seq,
    id: row.id,
    occurred_at: row.occurred_at,
    actor_kind: row.actor_kind,
    actor_user_id: row.actor_user_id,
    action: row.action,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    commitment: row.commitment.toString('hex'),
  };
  return createHash('sha256').update(previous).update(canonicalJson(hashed), 'utf8').digest();
}

/** Formats a time in the same format as {@link AUDIT_COLUMNS}. */
export function auditInstant(at: Date): string {
  return at.toISOString().replace('Z', '000Z');
}
