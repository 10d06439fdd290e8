import type { ServiceTier, SqlTransaction, Tags } from '#core';
import { SCHEMA } from '#database';
import { NO_ATTRIBUTION } from '../attribution/index.js';
import { STATED_COST } from '../ingest/priced-event.js';
import { decimalToPico } from '../prices/index.js';
import type { RatedEvent } from './reprice.js';
import type { ReratingPayload } from './rerating-task.js';

/** Maximum number of events per step of a re-rating. */
const STEP_EVENTS = 2_000;

/** One chunk of the events in a re-rating. */
export interface EventPiece {
  /** The events of the chunk, without those whose cost the sender stated. */
  events: RatedEvent[];
  /** Start of the next chunk; null after the last chunk. */
  next: ReratingPayload['after'];
}

interface Row {
  id: string;
  at: string;
  user_id: string;
  provider: string;
  model: string;
  department: string | null;
  project: string | null;
  tags: string | null;
  token_id: string | null;
  attribution_id: string | null;
  input_tokens: string;
  output_tokens: string;
  cache_read_tokens: string;
  cache_write_tokens: string;
  reasoning_tokens: string;
  requests: number;
  service_tier: ServiceTier;
  region: string | null;
  price_source: string | null;
  units: string | null;
  cost: string;
  list_cost: string;
  unpriced: string;
}

// The rows are ordered by the key of the events, so that reading a chunk costs the same at any position. The statement
// does not filter by model: for a rare model, it would scan millions of rows.
const NEXT = `
select e.id, to_char(e.occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, e.user_id, e.provider, e.model, e.department, e.project, e.tags::text,
  e.token_id, e.attribution_id,
  e.input_tokens::text, e.output_tokens::text, e.cache_read_tokens::text, e.cache_write_tokens::text,
  e.reasoning_tokens::text, e.requests, coalesce(e.service_tier, 'standard') as service_tier, e.region, e.price_source, e.units::text,
  (coalesce(e.cost_usd, 0) + coalesce(a.cost, 0))::text as cost,
  (coalesce(e.list_cost_usd, e.cost_usd, 0) + coalesce(a.list_cost, 0))::text as list_cost,
  (case when e.cost_usd is null then e.requests else 0 end + coalesce(a.unpriced, 0))::text as unpriced
from (
  select * from ${SCHEMA}.usage_events
  where org_id = $1 and occurred_at >= $2 and occurred_at < coalesce($3::timestamptz, 'infinity')
    and (occurred_at, id) > ($4::timestamptz, $5::text)
  order by occurred_at, id limit ${STEP_EVENTS}) e
cross join lateral (
  select sum(x.cost_delta_usd) as cost, sum(x.list_cost_delta_usd) as list_cost, sum(x.unpriced_delta) as unpriced
  from ${SCHEMA}.usage_adjustments x where x.org_id = $1 and x.event_id = e.id) a
order by e.occurred_at, e.id`;

/** Reads the next events of a re-rating with their current cost. */
export async function nextPiece(tx: SqlTransaction, orgId: string, payload: ReratingPayload): Promise<EventPiece> {
  const { from, until, after } = payload;
  // No event id is empty and no event is older than 1970, so this position lies before the first event.
  const rows = await tx.query<Row>(NEXT, [orgId, from, until, after?.occurredAt ?? from, after?.id ?? '']);
  const last = rows.at(-1);
  const isLast = !last || rows.length < STEP_EVENTS;
  return {
    events: rows.filter(row => row.price_source !== STATED_COST).map(ratedEvent),
    next: isLast ? null : { occurredAt: last.at, id: last.id },
  };
}

function ratedEvent(row: Row): RatedEvent {
  const tokens = {
    input_tokens: Number(row.input_tokens),
    output_tokens: Number(row.output_tokens),
    cache_read_tokens: Number(row.cache_read_tokens),
    cache_write_tokens: Number(row.cache_write_tokens),
    reasoning_tokens: Number(row.reasoning_tokens),
  };
  // Ingestion has written this value as an object of counts.
  const units = row.units === null ? undefined : (JSON.parse(row.units) as Record<string, number>);
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    model: row.model,
    department: row.department,
    project: row.project,
    // Ingestion has written this value as an object of texts.
    tags: row.tags === null ? null : (JSON.parse(row.tags) as Tags),
    tokenId: row.token_id,
    attributionId: row.attribution_id ?? NO_ATTRIBUTION,
    occurredAt: new Date(row.at),
    tokens: units === undefined ? tokens : { ...tokens, units },
    requests: row.requests,
    serviceTier: row.service_tier,
    region: row.region,
    picodollars: decimalToPico(row.cost),
    listPicodollars: decimalToPico(row.list_cost),
    unpricedRequests: Number(row.unpriced),
  };
}
