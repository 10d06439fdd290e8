import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { SqlTransaction } from '#core';
import { plainArray, SCHEMA, sqlOf, textArray } from '#database';
import { takeTurn } from '../ingest/usage-ledger.js';
import { picoToDecimalString } from '../prices/index.js';
import { SpendLedger } from '../spend/spend-ledger.js';
import type { Adjustment } from './reprice.js';

const INSERT = `
insert into ${SCHEMA}.usage_adjustments (org_id, event_id, rerating_id, occurred_at, cost_delta_usd, unpriced_delta,
  price_source, price_version, created_at)
select $1::uuid, a.event_id, $2::uuid, a.occurred_at, a.cost, a.unpriced, a.source, a.version, $3::timestamptz
from unnest($4::text[], $5::timestamptz[], $6::numeric[], $7::bigint[], $8::text[], $9::text[])
  as a (event_id, occurred_at, cost, unpriced, source, version)`;

// Rows are few and their keys known; tables without statistics would be read as a whole.
const BY_INDEX = `select set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true),
  set_config('enable_mergejoin', 'off', true)`;

const addTo = (table: string, column: string, start: string): string => `
update ${SCHEMA}.${table} r
set cost_usd = r.cost_usd + d.cost, unpriced_requests = r.unpriced_requests + d.unpriced
from deltas d
where r.org_id = $1 and r.${column} = ${start} and r.user_id = d.user_id and r.model = d.model and r.provider = d.provider
returning 1`;

const ADD_TO_ROLLUPS = `
with batch as (
  select * from unnest($2::timestamptz[], $3::uuid[], $4::text[], $5::text[], $6::numeric[], $7::bigint[])
    as b (occurred_at, user_id, model, provider, cost, unpriced)),
by_hour as materialized (
  select date_trunc('hour', occurred_at, 'UTC') as start, user_id, model, provider, sum(cost) as cost,
    sum(unpriced) as unpriced
  from batch group by 1, 2, 3, 4),
by_day as materialized (
  select (date_trunc('day', start, 'UTC') at time zone 'UTC')::date as start, user_id, model, provider,
    sum(cost) as cost, sum(unpriced) as unpriced
  from by_hour group by 1, 2, 3, 4),
hours as (${addTo('usage_hourly', 'hour', 'd.start').replace('deltas', 'by_hour')}),
days as (${addTo('usage_daily', 'day', 'd.start').replace('deltas', 'by_day')}),
touched as (
  insert into ${SCHEMA}.usage_touched_hours as stored (org_id, hour, touches)
  select distinct $1::uuid, start, 1 from by_hour
  on conflict (org_id, hour) do update set touches = stored.touches + 1)
select (select count(*) from by_hour) + (select count(*) from by_day)
  = (select count(*) from hours) + (select count(*) from days) as is_complete`;

/** Corrects what usage cost: as rows beside the events, in the rollups and in budgets, all in one transaction. */
@Injectable()
export class AdjustmentLedger {
  constructor(private readonly spend: SpendLedger) {}

  /**
   * Writes adjustments of a re-rating in the caller's transaction, in the organization's turn at writing usage. An event
   * that the re-rating has adjusted already fails, and everything with it.
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
    await takeTurn(tx, orgId);
    await tx.query(BY_INDEX);
    await write(tx, orgId, reratingId, adjustments, now);
    // Nothing is held for what was settled long ago: the difference counts when the event occurred.
    const differences = adjustments.map(({ event, picodollars }) => {
      const { userId, department, model, occurredAt } = event;
      return { userId, department, model, occurredAt, decisionId: null, cost: { picodollars } };
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
  ]);
  const [result] = await tx.query<{ is_complete: boolean }>(ADD_TO_ROLLUPS, [
    orgId,
    times,
    plainArray(adjustments, ({ event }) => event.userId),
    textArray(adjustments, ({ event }) => event.model),
    textArray(adjustments, ({ event }) => event.provider),
    costs,
    unpriced,
  ]);
  if (!result?.is_complete) throw new Error('a rollup of usage that was to be adjusted is missing');
}
