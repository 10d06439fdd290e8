import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { isoTime, plainArray, SCHEMA, sqlOf } from '#database';
import { TimelineSources, type TimelineSource } from '#incidents';
import { DELIVERY_DIGEST, DELIVERY_ID } from '../delivery/delivery-id.sql.js';

/** Maximum number of deliveries per event in a timeline. The delivery log contains all of them. */
const DELIVERIES_PER_EVENT = 20;

// Finds deliveries by their ids, which the query computes from event and webhook. Failed deliveries come first.
const READ = `
select e.id as event_id, f.id, f.webhook_id, f.status, f.attempts, ${isoTime('f.ended_at')} as ended_at
from unnest($2::uuid[]) as e (id) cross join lateral (
  select d2.* from ${SCHEMA}.webhooks w
  cross join lateral (select ${DELIVERY_DIGEST} as digest) d
  cross join lateral (
    select d2.id, d2.webhook_id, d2.status, d2.attempts, d2.ended_at from ${SCHEMA}.webhook_deliveries d2
    where d2.org_id = $1 and d2.webhook_id = w.id and d2.id = ${DELIVERY_ID} offset 0) d2
  where w.org_id = $1
  order by d2.status = 'failed' desc, d2.id limit ${DELIVERIES_PER_EVENT}) f`;

interface Row {
  event_id: string;
  id: string;
  webhook_id: string;
  status: string;
  attempts: number;
  ended_at: string | null;
}

/** Adds deliveries to the timelines of incidents: at most 20 per event. */
@Injectable()
export class DeliveryTimeline implements TimelineSource, OnModuleInit {
  readonly name = 'deliveries';

  constructor(private readonly sources: TimelineSources) {}

  onModuleInit(): void {
    this.sources.add(this);
  }

  /** Reads only deliveries to webhooks that still exist. */
  async read(em: EntityManager, orgId: string, eventIds: readonly string[]): Promise<Map<string, JsonObject[]>> {
    const rows = await sqlOf(em).query<Row>(READ, [orgId, plainArray(eventIds, id => id)]);
    const found = Map.groupBy(rows, ({ event_id }) => event_id);
    return new Map(
      [...found].map(([eventId, deliveries]) => [
        eventId,
        deliveries.map(({ id, webhook_id, status, attempts, ended_at }) => ({
          id,
          webhook_id,
          status,
          attempts,
          ended_at,
        })),
      ]),
    );
  }
}
