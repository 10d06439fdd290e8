import { Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import { decimalToPico, picoToDecimalString } from '../prices/index.js';

/** A correction of the cost of a stored event. Money is decimal text, so that it stays exact. */
export interface EventAdjustment {
  rerating_id: string;
  /** Negative if the event became cheaper. */
  cost_delta_usd: string;
  /** Change of the cost before discounts. */
  list_cost_delta_usd: string;
  /** Change in the number of requests without a known price; negative if requests now have a price. */
  unpriced_delta: string;
  price_source: string | null;
  price_version: string | null;
  /** ISO 8601. */
  created_at: string;
}

const FIND = `
select rerating_id, cost_delta_usd::text, list_cost_delta_usd::text, unpriced_delta::text, price_source, price_version,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at
from ${SCHEMA}.usage_adjustments where org_id = $1 and event_id = $2 order by usage_adjustments.created_at, rerating_id`;

/** Reads the adjustments of single usage events. */
@Injectable()
export class EventAdjustments {
  constructor(private readonly database: OrgDatabase) {}

  /** The adjustments of an event, oldest first. */
  of(orgId: string, eventId: string): Promise<EventAdjustment[]> {
    return this.database.transaction(orgId, em => sqlOf(em).query<EventAdjustment>(FIND, [orgId, eventId]));
  }
}

/** The cost of an event including its adjustments, as decimal text; null without a known price. */
export function adjustedCost(
  event: { cost_usd: string | null; requests: string },
  adjustments: readonly EventAdjustment[],
): string | null {
  let unpriced = event.cost_usd === null ? Number(event.requests) : 0;
  let picodollars = decimalToPico(event.cost_usd ?? '0');
  for (const { cost_delta_usd, unpriced_delta } of adjustments) {
    unpriced += Number(unpriced_delta);
    picodollars += decimalToPico(cost_delta_usd);
  }
  return unpriced > 0 ? null : picoToDecimalString(picodollars);
}
