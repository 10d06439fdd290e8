import type { EntityManager } from '@mikro-orm/postgresql';
import type { Severity } from '#core';
import { plainArray, prepared, SCHEMA, sqlOf } from '#database';
import type { TicketRef } from '../adapter/create-outcome.js';
import type { TicketStatus } from '../adapter/ticket-state.js';
import { isSameTicket } from '../tickets/same-ticket.sql.js';
import type { BegunChange, ChangeStanding, Told } from '../decide/next-change.js';

/** A ticket whose incident may have changed. */
export interface FollowedTicket {
  readonly id: string;
  readonly connectorId: string;
  readonly incidentId: string;
  readonly ref: TicketRef;
  readonly link: string | null;
  /** Title of the draft before the connector's template is applied to it. */
  readonly title: string | null;
  readonly standing: ChangeStanding;
  readonly lastSeenAt: Date;
  /** The way in which the incident was resolved. */
  readonly resolution: string | null;
}

const STANDINGS = prepared(
  'ticket_standings',
  `
select t.id, t.connector_id, t.incident_id, t.external_ticket_id, t.platform_id, t.url, t.draft ->> 'link' as link,
  t.draft ->> 'title' as title,
  t.told, t.change, t.status, t.resolution, i.occurrences::float8 as occurrences, i.severity,
  i.status = 'resolved' as is_resolved, extract(epoch from i.last_seen_at)::float8 * 1000 as last_seen_ms,
  i.resolution as incident_resolution,
  exists (select from ${SCHEMA}.tickets n where n.org_id = t.org_id and n.follows = t.id
    and (n.sync_state in ('pending', 'uncertain') or ${isSameTicket('n', 't')})) as is_superseded
from ${SCHEMA}.tickets t join ${SCHEMA}.incidents i on i.org_id = t.org_id and i.id = t.incident_id
where t.org_id = $1 and t.id = any ($2::uuid[]) and t.sync_state = 'created' and t.external_ticket_id is not null
  and t.told is not null`,
);

interface Row {
  id: string;
  connector_id: string;
  incident_id: string;
  external_ticket_id: string;
  platform_id: string | null;
  url: string | null;
  link: string | null;
  title: string | null;
  told: Told;
  change: BegunChange | null;
  status: TicketStatus | null;
  resolution: string | null;
  occurrences: number;
  severity: Severity;
  is_resolved: boolean;
  last_seen_ms: number;
  incident_resolution: string | null;
  is_superseded: boolean;
}

/**
 * Reads the current state of tickets and their incidents, by id.
 * @param em the entity manager of a transaction of the organization
 */
export async function readStandings(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, FollowedTicket>> {
  const rows = await sqlOf(em).query<Row>(STANDINGS, [orgId, plainArray(ids, id => id)]);
  return new Map(rows.map(row => [row.id, followedOf(row)]));
}

function followedOf(row: Row): FollowedTicket {
  const { occurrences, severity, is_resolved: isResolved } = row;
  return {
    id: row.id,
    connectorId: row.connector_id,
    incidentId: row.incident_id,
    ref: {
      externalTicketId: row.external_ticket_id,
      ...(row.platform_id !== null && { platformId: row.platform_id }),
      ...(row.url !== null && { url: row.url }),
    },
    link: row.link,
    title: row.title,
    standing: {
      incident: { occurrences, severity, isResolved },
      told: row.told,
      begun: row.change,
      status: row.status,
      resolution: row.resolution,
      isSuperseded: row.is_superseded,
    },
    lastSeenAt: new Date(row.last_seen_ms),
    resolution: row.incident_resolution,
  };
}
