import type { EntityManager } from '@mikro-orm/postgresql';
import { plainArray, SCHEMA, sqlOf } from '#database';
import type { TicketStatus } from '../adapter/ticket-state.js';
import type { EarlierTicket } from '../decide/reopening.js';

/** SQL of a value that identifies the last report of a ticket. */
export function reportIn(ticket: string): string {
  return `concat_ws('|', ${ticket}.status, ${ticket}.reported_at, ${ticket}.reported_event)`;
}

// The lock makes the statement wait for a change that is just starting, so that the row is read with it.
const EARLIER = `
select id, external_ticket_id, platform_id, url, status, resolution, change is not null as is_busy,
  extract(epoch from updated_at)::float8 * 1000 as changed_ms, ${reportIn('t')} as report
from ${SCHEMA}.tickets t
where org_id = $1 and id = any ($2::uuid[]) and external_ticket_id is not null order by id for share`;

interface Row {
  id: string;
  external_ticket_id: string;
  platform_id: string | null;
  url: string | null;
  status: TicketStatus | null;
  resolution: string | null;
  is_busy: boolean;
  report: string;
  changed_ms: number;
}

/** Tickets of earlier incidents, by id. @param em the entity manager of a transaction of the organization */
export async function readEarlier(
  em: EntityManager,
  orgId: string,
  ids: readonly string[],
): Promise<Map<string, EarlierTicket>> {
  if (ids.length === 0) return new Map();
  const rows = await sqlOf(em).query<Row>(EARLIER, [orgId, plainArray(ids, id => id)]);
  return new Map(
    rows.map(row => {
      const ref = {
        externalTicketId: row.external_ticket_id,
        ...(row.platform_id !== null && { platformId: row.platform_id }),
        ...(row.url !== null && { url: row.url }),
      };
      const { status, resolution, report, is_busy: isBusy } = row;
      return [row.id, { ref, status, resolution, report, isBusy, changedAt: new Date(row.changed_ms) }];
    }),
  );
}
