import { Injectable } from '@nestjs/common';
import { newId, type OverviewDeliveries, type SqlTransaction, type LiveTopic, type SearchKind } from '#core';
import { isoTime, newestPosition, OverviewPart, SCHEMA } from '#database';

const WEEK_MS = 7 * 24 * 3_600_000;
const LIMIT = 10;

// A partial index contains the failed deliveries. The condition on their id selects those of the last week, because ids
// grow with time.
const FAILED = `
select w.id, w.url, w.description, w.enabled, f.failed, f.last_failed_at
from (
  select d.webhook_id, count(*)::float8 as failed, ${isoTime('max(d.ended_at)')} as last_failed_at
  from ${SCHEMA}.webhook_deliveries d
  where d.org_id = $1 and d.status = 'failed' and d.id >= $2::uuid
  group by d.webhook_id) f
join ${SCHEMA}.webhooks w on w.org_id = $1 and w.id = f.webhook_id
order by f.failed desc, w.id`;

const KINDS: readonly SearchKind[] = [
  {
    kind: 'webhook',
    scope: 'webhooks:read',
    sql: `select id::text, url as title, description as subtitle from ${SCHEMA}.webhooks
   where org_id = $1 and (id = $3::uuid or strpos(lower(url), $2) > 0 or strpos(lower(description), $2) > 0)
   order by id desc limit 5`,
  },
];

// Every attempt is counted in its hour, so the sums of the latest hours change with every attempt.
const ATTEMPTED = `
select coalesce(sum(h.attempts), 0) || ' ' || coalesce(sum(h.succeeded), 0) || ' ' || count(*)
from ${SCHEMA}.webhook_hours h
join ${SCHEMA}.webhooks w on w.org_id = $1 and w.id = h.webhook_id
where h.org_id = $1 and h.hour > (
  select max(l.hour) - interval '3 hours' from ${SCHEMA}.webhooks o cross join lateral (
    select hour from ${SCHEMA}.webhook_hours where org_id = $1 and webhook_id = o.id order by hour desc limit 1) l
  where o.org_id = $1)`;

const REGISTERED = `select count(*) || ' ' || coalesce(max(updated_at)::text, '') from ${SCHEMA}.webhooks where org_id = $1`;

const FAILED_COUNT = `select count(*) from ${SCHEMA}.webhook_deliveries where org_id = $1 and status = 'failed'`;

const TOPICS: readonly LiveTopic[] = [
  {
    name: 'deliveries',
    scope: 'webhooks:read',
    position: `select concat_ws(' ', (${newestPosition('webhook_deliveries')}), (${ATTEMPTED}), (${FAILED_COUNT}))`,
  },
  { name: 'webhooks', scope: 'webhooks:read', position: `select concat_ws(' ', (${REGISTERED}), (${ATTEMPTED}))` },
];

/** Adds failed deliveries to the overview. */
@Injectable()
export class WebhooksOverview extends OverviewPart<'deliveries'> {
  override readonly name = 'deliveries';
  override readonly scope = 'webhooks:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;
  protected override readonly step = { name: 'webhook', table: 'webhooks' } as const;

  override async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewDeliveries> {
    const since = newId(new Date(now.getTime() - WEEK_MS), Buffer.alloc(10));
    const rows = await tx.query<OverviewDeliveries['webhooks'][number]>(FAILED, [orgId, since]);
    return { failed: rows.reduce((sum, { failed }) => sum + failed, 0), webhooks: rows.slice(0, LIMIT) };
  }
}
