import { Injectable } from '@nestjs/common';
import { newId, type LiveTopic, type OverviewAnomalies, type SqlTransaction, type SearchKind } from '#core';
import { newestPosition, OverviewPart, SCHEMA } from '#database';

const WEEK_MS = 7 * 24 * 3_600_000;

// Ids grow with time, so the anomalies of a week are a range at the end of the index.
const UNJUDGED = `org_id = $1 and id >= $2::uuid and feedback is null`;

const COUNT = `select count(*)::float8 as count from ${SCHEMA}.anomalies where ${UNJUDGED}`;

const NEWEST = `
select id, kind, severity, user_id, user_email, model, metric, observed, expected_high, window_start, window_end,
  detected_at, incident_id
from ${SCHEMA}.anomalies where ${UNJUDGED} order by id desc limit 10`;

type Times = 'window_start' | 'window_end' | 'detected_at';
type Row = Omit<OverviewAnomalies['newest'][number], Times> & Record<Times, Date>;

const KINDS: readonly SearchKind[] = [
  {
    kind: 'anomaly',
    scope: 'anomalies:read',
    sql: `select id::text, kind as title, severity as subtitle from ${SCHEMA}.anomalies where org_id = $1 and id = $3::uuid`,
  },
];

// Feedback is usually given to recent anomalies. Counting it over the last thousand is enough to notice new feedback.
const ANSWERED = `
select count(feedback) from (
  select feedback from ${SCHEMA}.anomalies where org_id = $1 order by id desc limit 1000) l`;

const TOPICS: readonly LiveTopic[] = [
  {
    name: 'anomalies',
    scope: 'anomalies:read',
    position: `select concat_ws(' ', (${newestPosition('anomalies')}), (${ANSWERED}))`,
  },
];

/** Overview section: alarms without feedback. */
@Injectable()
export class AnomaliesOverview extends OverviewPart<'anomalies'> {
  override readonly name = 'anomalies';
  override readonly scope = 'anomalies:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;

  override async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewAnomalies> {
    const since = newId(new Date(now.getTime() - WEEK_MS), Buffer.alloc(10));
    const [unjudged] = await tx.query<{ count: number }>(COUNT, [orgId, since]);
    const newest = await tx.query<Row>(NEWEST, [orgId, since]);
    return {
      unjudged: unjudged?.count ?? 0,
      newest: newest.map(row =>
        Object.assign(row, {
          window_start: new Date(row.window_start).toISOString(),
          window_end: new Date(row.window_end).toISOString(),
          detected_at: new Date(row.detected_at).toISOString(),
        }),
      ),
    };
  }
}
