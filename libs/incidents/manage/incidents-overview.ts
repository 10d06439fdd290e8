import { Injectable } from '@nestjs/common';
import type { LiveTopic, OverviewIncidents, Severity, SqlTransaction, SearchKind } from '#core';
import { markPosition, OverviewPart, SCHEMA } from '#database';
import { INCIDENTS_TOPIC } from '../incidents.topic.js';

const COUNT = `
select severity, count(*)::float8 as count from ${SCHEMA}.incidents
where org_id = $1 and status = 'open' group by severity`;

const COLUMNS = `id, type, severity, coalesce(details->>'policy_name', details->>'summary') as subject, user_id, user_email, policy_id, model, occurrences::float8 as occurrences,
  first_seen_at, last_seen_at`;

// Uses one index scan per severity. A single scan of both severities would have to sort all open incidents.
const NEWEST = `
select * from (
  (select ${COLUMNS} from ${SCHEMA}.incidents
   where org_id = $1 and status = 'open' and severity = 'critical' order by id desc limit 10)
  union all
  (select ${COLUMNS} from ${SCHEMA}.incidents
   where org_id = $1 and status = 'open' and severity = 'high' order by id desc limit 10)) found
order by id desc limit 10`;

type Row = Omit<OverviewIncidents['newest'][number], 'first_seen_at' | 'last_seen_at'> & {
  first_seen_at: Date;
  last_seen_at: Date;
};

const KINDS: readonly SearchKind[] = [
  {
    kind: 'incident',
    scope: 'incidents:read',
    sql: `select id::text, type as title, severity as subtitle from ${SCHEMA}.incidents where org_id = $1 and id = $3::uuid`,
  },
];

const CHANGED = `
select id from ${SCHEMA}.incidents
where org_id = $1 and change_version > $2 and ($3::text is null or user_id = $3)
order by change_version limit 101`;

const TOPICS: readonly LiveTopic[] = [
  {
    name: 'incidents',
    scope: 'incidents:read',
    position: markPosition(INCIDENTS_TOPIC),
    own: {
      scope: 'incidents:read:own',
      position: `select coalesce(max(change_version), 0) from ${SCHEMA}.incidents where org_id = $1 and user_id = $2::text`,
    },
    changedSince: CHANGED,
  },
];

/** Summarizes open incidents for the overview. */
@Injectable()
export class IncidentsOverview extends OverviewPart<'incidents'> {
  override readonly name = 'incidents';
  override readonly scope = 'incidents:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;

  override async read(tx: SqlTransaction, orgId: string): Promise<OverviewIncidents> {
    const counts = await tx.query<{ severity: Severity; count: number }>(COUNT, [orgId]);
    const newest = await tx.query<Row>(NEWEST, [orgId]);
    const open = { critical: 0, high: 0, medium: 0, low: 0 };
    for (const { severity, count } of counts) open[severity] = count;
    return {
      open,
      newest: newest.map(row =>
        Object.assign(row, {
          first_seen_at: new Date(row.first_seen_at).toISOString(),
          last_seen_at: new Date(row.last_seen_at).toISOString(),
        }),
      ),
    };
  }
}
