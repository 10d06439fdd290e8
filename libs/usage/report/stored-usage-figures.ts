import { Injectable } from '@nestjs/common';
import { UsageFigures, type SqlTransaction, type UsageFigure } from '#core';
import { plainArray, SCHEMA } from '#database';
import { decimalToPico } from '../prices/index.js';

// Stored events with their adjustments.
const COSTS = `
select e.decision_id as id, sum(coalesce(e.cost_usd, 0) + coalesce(a.cost, 0))::text as cost
from ${SCHEMA}.usage_events e
cross join lateral (
  select sum(x.cost_delta_usd) as cost
  from ${SCHEMA}.usage_adjustments x where x.org_id = $1 and x.event_id = e.id) a
where e.org_id = $1 and e.decision_id = any($2::uuid[])
group by e.decision_id`;

// Ordered by the key of the table, so that reading a chunk costs the same at any position.
const OF_DAY = `
select user_id, model, provider, sum(requests)::text as requests, sum(cost_usd)::text as cost
from ${SCHEMA}.usage_daily
where org_id = $1 and day = $2::date and (user_id, model, provider) > ($3::uuid, $4::text, $5::text)
group by user_id, model, provider order by user_id, model, provider limit $6`;

const FIRST = { userId: '00000000-0000-0000-0000-000000000000', model: '', provider: '' };

interface FigureRow {
  user_id: string;
  model: string;
  provider: string;
  requests: string;
  cost: string;
}

/** Reads usage from events and rollups. */
@Injectable()
export class StoredUsageFigures extends UsageFigures {
  override async costsOf(
    tx: SqlTransaction,
    orgId: string,
    decisionIds: readonly string[],
  ): Promise<Map<string, bigint>> {
    const ids = plainArray(decisionIds, id => id);
    const rows = await tx.query<{ id: string; cost: string }>(COSTS, [orgId, ids]);
    return new Map(rows.map(({ id, cost }) => [id, decimalToPico(cost)]));
  }

  override async ofDay(
    tx: SqlTransaction,
    orgId: string,
    day: string,
    limit: number,
    after: Pick<UsageFigure, 'userId' | 'model' | 'provider'> = FIRST,
  ): Promise<UsageFigure[]> {
    const { userId, model, provider } = after;
    const rows = await tx.query<FigureRow>(OF_DAY, [orgId, day, userId, model, provider, limit]);
    return rows.map(row => ({
      userId: row.user_id,
      model: row.model,
      provider: row.provider,
      requests: Number(row.requests),
      picodollars: decimalToPico(row.cost),
    }));
  }
}
