import { auditEvent } from '../ocsf/audit-events.js';
import type { AuditRecord } from '../sinks/audit-sink.port.js';

/** An organization for tests of sinks. */
export const ORG = '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60';

/** A record of a row of the audit log. `name` becomes part of the event. */
export function recordOf(seq: number, name = 'Ada', orgId: string | null = ORG): AuditRecord {
  const id = `0199c2a8-5f10-7c3e-9a41-${String(seq).padStart(12, '0')}`;
  const occurred_at = '2026-11-20T12:00:00.123000Z';
  const actor = { actor_kind: 'token', actor_id: 't-1', actor_name: name, actor_user_id: null };
  const where = { address: '203.0.113.7', request_id: null };
  const what = { action: 'policy.updated', resource_type: 'policy', resource_id: 'p-1', before: null, after: null };
  const row = { seq, id, occurred_at, ...actor, ...where, ...what, hash: 'ab'.repeat(32) };
  const event = auditEvent({ orgId, mayBeRepeated: false }, row);
  return { uid: id, orgId, at: new Date(occurred_at), mayBeRepeated: false, event };
}
