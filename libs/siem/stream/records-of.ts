import type { JsonObject } from '#core';
import { auditEvent, type AuditRowFacts } from '../ocsf/audit-events.js';
import { incidentEvent, type IncidentFacts } from '../ocsf/incident-events.js';
import { securityEvent, type SecurityFacts } from '../ocsf/security-events.js';
import type { AuditRecord } from '../sinks/audit-sink.port.js';
import { INSTALLATION_ID } from './installation-id.js';
import type { Claim, WaitingRecord } from './stream-store.js';

/** The batch of a claim: first rows of the audit log in order, then the other waiting records. */
export function recordsOf({ orgId: id, offeredSeq, rows, records }: Claim): AuditRecord[] {
  const orgId = id === INSTALLATION_ID ? null : id;
  return [
    ...rows.map(row => ofRow(orgId, row, row.seq <= offeredSeq)),
    ...records.map(record => ofRecord(orgId, record)),
  ];
}

function ofRow(orgId: string | null, row: AuditRowFacts, mayBeRepeated: boolean): AuditRecord {
  return recordOf(orgId, row.id, mayBeRepeated, auditEvent({ orgId, mayBeRepeated }, row));
}

function ofRecord(
  orgId: string | null,
  { id: uid, kind, data, is_offered: mayBeRepeated }: WaitingRecord,
): AuditRecord {
  const source = { uid, orgId, mayBeRepeated };
  // Only this library writes these rows, so their type is known.
  const event =
    kind === 'incident' ? incidentEvent(source, data as IncidentFacts) : securityEvent(source, data as SecurityFacts);
  return recordOf(orgId, uid, mayBeRepeated, event);
}

function recordOf(orgId: string | null, uid: string, mayBeRepeated: boolean, event: JsonObject): AuditRecord {
  return { uid, orgId, at: new Date(Number(event['time'])), mayBeRepeated, event };
}
