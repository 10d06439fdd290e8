import { ApiSchema } from '@nestjs/swagger';
import { defined, type JsonObject } from '#core';
import * as f from '../http/dto-fields.js';
import { dtoOf } from '../http/dto.js';
import { InstantField, TextField } from '../http/field.decorators.js';
import { PageQueryDto } from '../http/page.dto.js';
import { PRINCIPAL_KINDS, type Principal } from '../principals/principal.js';
import type { AuditFilters, ShownAuditRow } from '../audit/audit-log-reader.js';

/** Filters of the audit log. */
export class AuditQueryDto extends PageQueryDto {
  @TextField({
    max: 255,
    optional: true,
    description:
      'Part of the action, such as `policy.up` or `policy up`, or of the name of the actor. Compared without case.',
    example: 'policy',
  })
  q?: string;

  @TextField({ max: 255, optional: true, description: 'Only changes of this kind.', example: 'policy.updated' })
  action?: string;

  @TextField({ max: 255, optional: true, description: 'Only changes of this kind of resource.', example: 'policy' })
  resource_type?: string;

  @TextField({
    max: 255,
    optional: true,
    description: 'Only changes of this resource.',
    example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60',
  })
  resource_id?: string;

  @TextField({ max: 255, optional: true, description: 'Id of the token or subject that made the change.' })
  actor_id?: string;

  @InstantField({ optional: true, description: 'Start of the range, inclusive.', example: '2026-11-20T00:00:00Z' })
  since?: string;

  @InstantField({ optional: true, description: 'End of the range, exclusive.', example: '2026-11-21T00:00:00Z' })
  until?: string;
}

/** One change: who, what, when, from where. */
@ApiSchema({ name: 'GovernanceAuditRecordResponseDto' })
export class AuditRecordResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  seq: f.integer(42, 'Place in the chain, from 1 without gaps.'),
  occurred_at: f.instant('2026-11-20T13:00:00.000Z'),
  actor_kind: f.choice(PRINCIPAL_KINDS, 'token'),
  actor_id: f.text('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c61', 'Id of the token or subject.'),
  actor_name: f.text('admin'),
  actor_user_id: f.uuid(null).nullable(),
  address: f.text('203.0.113.7', 'Address of the client.').nullable(),
  request_id: f.text('0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e').nullable(),
  action: f.text('policy.updated'),
  resource_type: f.text('policy'),
  resource_id: f.text('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c62'),
  before: f.record<JsonObject>({ enabled: true }).nullable(),
  after: f.record<JsonObject>({ enabled: false }).nullable(),
  hash: f.text(
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'SHA-256 over the previous hash and this record, in hexadecimal.',
    { pattern: '^[0-9a-f]{64}$' },
  ),
}) {}

export function auditFiltersOf(query: AuditQueryDto): AuditFilters {
  const { q, action, resource_type: resourceType, resource_id: resourceId, actor_id: actorId, since, until } = query;
  const range = { since: instantOf(since), until: instantOf(until) };
  return defined({ q, action, resourceType, resourceId, actorId, ...range });
}

function instantOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}

export function presentAuditRow(row: ShownAuditRow): AuditRecordResponseDto {
  return {
    id: row.id,
    seq: row.seq,
    occurred_at: new Date(row.occurred_at).toISOString(),
    // Only values of `Principal.kind` are written to this column.
    actor_kind: row.actor_kind as Principal['kind'],
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    actor_user_id: row.actor_user_id,
    address: row.address,
    request_id: row.request_id,
    action: row.action,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    before: parsed(row.before),
    after: parsed(row.after),
    hash: row.hash,
  };
}

/** Only JSON objects are written to this column. */
function parsed(text: string | null): JsonObject | null {
  return text === null ? null : (JSON.parse(text) as JsonObject);
}
