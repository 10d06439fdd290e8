import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { NO_ATTRIBUTION } from '../attribution/index.js';
import { lockUsage } from '../usage-lock.js';
import { picoToDecimalString } from '../prices/index.js';
import { SpendLedger } from '../spend/spend-ledger.js';
import type { Adjustment } from './reprice.js';

const INSERT = `
insert into ${SCHEMA}.usage_adjustments (org_id, event_id, rerating_id, occurred_at, cost_delta_usd, unpriced_delta,
  price_source, price_version, list_cost_delta_usd, created_at)
select $1::uuid, a.event_id, $2::uuid, a.occurred_at, a.cost, a.unpriced, a.source, a.version, a.list_cost, $3::timestamptz
from unnest($4::text[], $5::timestamptz[], $6::numeric[], $7::bigint[], $8::text[], $9::text[], $10::numeric[])
  as a (event_id, occurred_at, cost, unpriced, source, version, list_cost)`;

// The CTEs have few rows with known keys. PostgreSQL has no statistics about them, and would otherwise scan the tables
// in full.
const BY_INDEX = `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

const LINE = 'attribution_id, model, provider';

/** SQL that adds the sums of a CTE to a rollup. Both have the same key columns. */
const addTo = (table: string, sums: string, key: string): string => `
update ${SCHEMA}.${table} r
set cost_usd = r.cost_usd + d.cost, list_cost_usd = r.list_cost_usd + d.list_cost,
  unpriced_requests = r.unpriced_requests + d.unpriced
from ${sums} d
where r.org_id = $1 and ${key
  .split(', ')
  .map(column => `r.${column} = d.${column}`)
  .join(' and ')}
returning 1`;

const PEOPLE_BY_QUARTER = `hour, user_id, ${LINE}, quarter`;
const PEOPLE_BY_DAY = `day, user_id, ${LINE}`;
const TOTALS = `grain_minutes, start, ${LINE}`;

const summedBy = (key: string, from: string): string => `
  select ${key}, sum(cost) as cost, sum(list_cost) as list_cost, sum(unpriced) as unpriced from ${from} group by ${key}`;

const grain = (minutes: number): string => `
  ${minutes}::smallint as grain_minutes, date_bin('${minutes} minutes', quarter_start, 'epoch') as start, shared_id`;

// Usage that was stored by a version without attributions has no attribution, and its rollups are per hour.
const QUARTER_START = `case when b.attribution_id = '${NO_ATTRIBUTION}' then date_trunc('hour', b.occurred_at, 'UTC')
  else date_bin('15 minutes', b.occurred_at, 'epoch') end`;

const ADD_TO_ROLLUPS = `
with batch as materialized (
  select ${QUARTER_START} as quarter_start, b.user_id, b.model, b.provider,
    b.attribution_id, coalesce(a.shared_id, b.attribution_id) as shared_id, b.cost, b.list_cost, b.unpriced
  from unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::bigint[], $8::uuid[],
    $9::numeric[]) as b (occurred_at, user_id, model, provider, cost, unpriced, attribution_id, list_cost)
  left join ${SCHEMA}.usage_attributions a on a.org_id = $1 and a.id = b.attribution_id),
placed as (
  select date_trunc('hour', quarter_start, 'UTC') as hour, (quarter_start at time zone 'UTC')::date as day,
    extract(minute from quarter_start at time zone 'UTC')::smallint / 15 as quarter, *
  from batch),
spread as (
  select ${[15, 60, 1_440].map(minutes => `${grain(minutes)} as attribution_id, model, provider, cost, list_cost, unpriced from batch`).join(' union all select ')}),
by_quarter as materialized (${summedBy(PEOPLE_BY_QUARTER, 'placed')}),
by_day as materialized (${summedBy(PEOPLE_BY_DAY, 'placed')}),
by_total as materialized (${summedBy(TOTALS, 'spread')}),
hours as (${addTo('usage_hourly', 'by_quarter', PEOPLE_BY_QUARTER)}),
days as (${addTo('usage_daily', 'by_day', PEOPLE_BY_DAY)}),
totals as (${addTo('usage_totals', 'by_total', TOTALS)}),
touched as (
  insert into ${SCHEMA}.usage_touched_hours as stored (org_id, hour, touches)
  select distinct $1::uuid, hour, 1 from by_quarter
  on conflict (org_id, hour) do update set touches = stored.touches + 1)
select (select count(*) from by_quarter) + (select count(*) from by_day) + (select count(*) from by_total)
  = (select count(*) from hours) + (select count(*) from days) + (select count(*) from totals) as is_complete`;

/** Corrects the cost of usage in events, rollups and budgets, all in one transaction. */
@Injectable()
export class AdjustmentLedger {
  constructor(private readonly spend: SpendLedger) {}

  /**
   * Writes the adjustments of a re-rating in the caller's transaction, under the organization's usage lock. A second
   * adjustment of an event by the same re-rating fails and rolls back the transaction.
   */
  async append(
    em: EntityManager,
    orgId: string,
    reratingId: string,
    adjustments: readonly Adjustment[],
    now: Date,
  ): Promise<void> {
    if (adjustments.length === 0) return;
    const tx = sqlOf(em);
    await lockUsage(tx, orgId);
    await tx.query(BY_INDEX);
    await write(tx, orgId, reratingId, adjustments, now);
    // Old usage does not have a reservation any more. The difference counts in the windows at the time of the event.
    const differences = adjustments.map(({ event, picodollars }) => {
      const { userId, department, project, tags, tokenId, model, occurredAt } = event;
      const subject = { userId, department, project, tags, tokenId, model };
      return { ...subject, occurredAt, decisionId: null, cost: { picodollars } };
    });
    await this.spend.count(em, orgId, differences);
  }
}

async function write(
  tx: SqlTransaction,
  orgId: string,
  reratingId: string,
  adjustments: readonly Adjustment[],
  now: Date,
): Promise<void> {
  const times = plainArray(adjustments, ({ event }) => event.occurredAt.toISOString());
  const costs = plainArray(adjustments, ({ picodollars }) => picoToDecimalString(picodollars));
  const listCosts = plainArray(adjustments, ({ listPicodollars }) => picoToDecimalString(listPicodollars));
  const unpriced = plainArray(adjustments, ({ unpricedRequests }) => unpricedRequests);
  await tx.query(INSERT, [
    orgId,
    reratingId,
    now.toISOString(),
    textArray(adjustments, ({ event }) => event.id),
    times,
    costs,
    unpriced,
    textArray(adjustments, ({ source }) => source),
    textArray(adjustments, ({ version }) => version),
    listCosts,
  ]);
  const [result] = await tx.query<{ is_complete: boolean }>(ADD_TO_ROLLUPS, [
    orgId,
    times,
    plainArray(adjustments, ({ event }) => event.userId),
    textArray(adjustments, ({ event }) => event.model),
    textArray(adjustments, ({ event }) => event.provider),
    costs,
    unpriced,
    plainArray(adjustments, ({ event }) => event.attributionId),
    listCosts,
  ]);
  if (!result?.is_complete) throw new Error('a rollup of usage that was to be adjusted is missing');
}
