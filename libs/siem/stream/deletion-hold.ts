import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DeletionHolds } from '#access';
import { SCHEMA } from '#database';
import { AuditSink, isSet } from '../sinks/audit-sink.port.js';

// If an organization has no head, its rows are gone: an earlier run has begun to delete them, and no stream needs them.
// Without a name, the last stream of the organization's rows is used, because the app may have a sink that this process
// does not have.
const WAITING = `
with named as (
  select coalesce($2, (select l.stream from ${SCHEMA}.siem_streams l where l.org_id = $1 order by l.touched_at desc limit 1)) as stream),
ahead as (select h.seq from ${SCHEMA}.audit_heads h where h.org_id = $1),
beside as (select count(*) as count from ${SCHEMA}.siem_records r where r.org_id = $1 and r.at <= $3)
select n.stream, (greatest(a.seq - coalesce(s.seq, 0), 0) + b.count)::float8 as waiting, s.fault
from named n cross join ahead a cross join beside b
left join ${SCHEMA}.siem_streams s on s.org_id = $1 and s.stream = n.stream
where n.stream is not null`;

/** Delays the deletion of an organization until the sink has accepted its last records. */
@Injectable()
export class DeletionHold implements OnModuleInit {
  constructor(
    private readonly holds: DeletionHolds,
    private readonly sink: AuditSink,
  ) {}

  onModuleInit(): void {
    const stream = isSet(this.sink) ? this.sink.name : null;
    this.holds.add(async (tx, orgId, until) => {
      const [row] = await tx.query<Waiting>(WAITING, [orgId, stream, until]);
      return row === undefined || row.waiting === 0 ? undefined : reasonOf(row);
    });
  }
}

interface Waiting {
  stream: string;
  waiting: number;
  fault: string | null;
}

function reasonOf({ stream, waiting, fault }: Waiting): string {
  const records = waiting === 1 ? '1 record of the organization waits' : `${waiting} records of the organization wait`;
  return `${records} for the SIEM (stream ${stream}${fault === null ? '' : `; last fault: ${fault}`}).`;
}
