import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditHolds } from '#access';
import { SCHEMA } from '#database';
import { AuditSink, isSet } from '../sinks/audit-sink.port.js';

// An organization whose stream has not begun keeps no rows: it begins at the first remaining row.
const IS_BEHIND = `
select exists (
  select from ${SCHEMA}.siem_streams s join ${SCHEMA}.audit_log l on l.org_id = s.org_id and l.seq > s.seq
  where s.org_id = $1 and s.stream = $2 and l.occurred_at < ${SCHEMA}.now() - $3 * interval '1 day') as held`;

/** Keeps rows of the audit log beyond their retention until the sink has accepted them. */
@Injectable()
export class RetentionHold implements OnModuleInit {
  constructor(
    private readonly holds: AuditHolds,
    private readonly sink: AuditSink,
  ) {}

  onModuleInit(): void {
    if (!isSet(this.sink)) return;
    this.holds.add(async (tx, orgId, days) => {
      const [row] = await tx.query<{ held: boolean }>(IS_BEHIND, [orgId, this.sink.name, days]);
      return row?.held ?? false;
    });
  }
}
