import { Injectable } from '@nestjs/common';
import { newId, type OverviewDeliveries, type SqlTransaction, type SearchKind } from '#core';
import { isoTime, OverviewPart, SCHEMA } from '#database';

const WEEK_MS = 7 * 24 * 3_600_000;
const LIMIT = 10;

// Failed deliveries have a partial index, and ids grow with time.
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

/** Adds failed deliveries to the overview. */
@Injectable()
export class WebhooksOverview extends OverviewPart<'deliveries'> {
  override readonly name = 'deliveries';
  override readonly scope = 'webhooks:read';
  protected override readonly kinds = KINDS;
  protected override readonly step = { name: 'webhook', table: 'webhooks' } as const;

  override async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewDeliveries> {
    const since = newId(new Date(now.getTime() - WEEK_MS), Buffer.alloc(10));
    const rows = await tx.query<OverviewDeliveries['webhooks'][number]>(FAILED, [orgId, since]);
    return { failed: rows.reduce((sum, { failed }) => sum + failed, 0), webhooks: rows.slice(0, LIMIT) };
  }
}
