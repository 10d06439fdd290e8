import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { JsonObject } from '#core';
import { plainArray, SCHEMA, sqlOf } from '#database';
import { TimelineSources, type TimelineSource } from '#incidents';

const READ = `
select event_id, id, connector_id, kind, sync_state, external_ticket_id, url, status
from ${SCHEMA}.tickets where org_id = $1 and event_id = any ($2::uuid[]) order by id`;

interface Row {
  event_id: string;
  id: string;
  connector_id: string;
  kind: string;
  sync_state: string;
  external_ticket_id: string | null;
  url: string | null;
  status: string | null;
}

/** Adds tickets to the timelines of incidents. A ticket belongs to the occurrence that opened the incident. */
@Injectable()
export class TicketTimeline implements TimelineSource, OnModuleInit {
  readonly name = 'tickets';

  constructor(private readonly sources: TimelineSources) {}

  onModuleInit(): void {
    this.sources.add(this);
  }

  async read(em: EntityManager, orgId: string, eventIds: readonly string[]): Promise<Map<string, JsonObject[]>> {
    const rows = await sqlOf(em).query<Row>(READ, [orgId, plainArray(eventIds, id => id)]);
    const byEvent = Map.groupBy(rows, ({ event_id }) => event_id);
    return new Map([...byEvent].map(([id, tickets]) => [id, tickets.map(shown)]));
  }
}

function shown({ id, connector_id, kind, sync_state, external_ticket_id, url, status }: Row): JsonObject {
  return { id, connector_id, kind, sync_state, external_ticket_id, url, status };
}
