import { Injectable } from '@nestjs/common';
import { firstIdAt, type Page, type PageQuery, type Severity } from '#core';
import { among, equal, KeysetLists, sql, type KeysetOrder } from '#database';
import { Incident } from '../incident/incident.entity.js';
import type { IncidentStatus, IncidentType } from '../incident/incident-status.js';

/** Orders of a list: by opening time, or by the last occurrence. `-` means descending. */
export const INCIDENT_ORDERS = ['newest', 'oldest', 'last_seen_at', '-last_seen_at'] as const;

/** Filters and page of a list of incidents. */
export interface IncidentListQuery extends PageQuery {
  status?: IncidentStatus | readonly IncidentStatus[] | undefined;
  severity?: Severity | readonly Severity[] | undefined;
  type?: IncidentType | readonly IncidentType[] | undefined;
  user_id?: string | undefined;
  policy_id?: string | undefined;
  /** The model's exact name. */
  model?: string | undefined;
  provider?: string | undefined;
  /** Only incidents that were opened at or after this time. */
  since?: Date | undefined;
  /** Only incidents that were opened before this time. */
  until?: Date | undefined;
  /** Default: `newest`. */
  sort?: (typeof INCIDENT_ORDERS)[number] | undefined;
}

// Ids of incidents grow with time.
const BY_OPENING = { columns: ['i.id'], position: ({ id }: Incident) => [id] };

// No index contains the time, because each occurrence changes it. The position of a cursor has milliseconds, so rows
// compare by milliseconds, too.
const BY_LAST_OCCURRENCE = {
  columns: [`date_trunc('milliseconds', i.last_seen_at)`, 'i.id'],
  position: ({ lastSeenAt, id }: Incident) => [lastSeenAt.toISOString(), id],
};

const ORDERS: Readonly<Record<(typeof INCIDENT_ORDERS)[number], KeysetOrder<Incident>>> = {
  newest: { ...BY_OPENING, direction: 'desc' },
  oldest: { ...BY_OPENING, direction: 'asc' },
  last_seen_at: { ...BY_LAST_OCCURRENCE, direction: 'asc' },
  '-last_seen_at': { ...BY_LAST_OCCURRENCE, direction: 'desc' },
};

/** Lists incidents by opening time or by their last occurrence. */
@Injectable()
export class IncidentListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is not valid here */
  list<Item>(orgId: string, query: IncidentListQuery, show: (incident: Incident) => Item): Promise<Page<Item>> {
    const several = { status: listed(query.status), severity: listed(query.severity), type: listed(query.type) };
    const { model, provider, since, until, sort = 'newest' } = query;
    const exact = { user_id: query.user_id?.toLowerCase(), policy_id: query.policy_id?.toLowerCase(), model, provider };
    const list = {
      name: 'incidents',
      filters: { ...exact, ...joined(several), since: since?.getTime(), until: until?.getTime(), sort },
      table: 'incidents',
      as: 'i',
      where: [
        ...among({ 'i.status': several.status, 'i.severity': several.severity, 'i.type': several.type }),
        ...equal({
          'i.user_id': exact.user_id,
          'i.policy_id': exact.policy_id,
          'i.model': model,
          'i.provider': provider,
        }),
        since && sql`i.id >= ${firstIdAt(since)}::uuid`,
        until && sql`i.id < ${firstIdAt(until)}::uuid`,
      ],
      rows: Incident,
      order: ORDERS[sort],
    };
    return this.lists.page(orgId, query, list, show);
  }
}

function listed<T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined {
  return typeof value === 'string' ? [value] : value;
}

/** Sorts and joins the values of each filter, so that a cursor stays valid if their order changes. */
function joined(several: Readonly<Record<string, readonly string[] | undefined>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(several).map(([name, values]) => [name, values?.toSorted().join()]));
}
