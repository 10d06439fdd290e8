import { Injectable } from '@nestjs/common';
import type { Page, PageQuery, Severity } from '#core';
import { equal, KeysetLists, newestFirst } from '#database';
import { Incident } from '../incident/incident.entity.js';
import type { IncidentStatus, IncidentType } from '../incident/incident-status.js';

/** Which incidents to list, and from where. */
export interface IncidentListQuery extends PageQuery {
  status?: IncidentStatus | undefined;
  severity?: Severity | undefined;
  type?: IncidentType | undefined;
  user_id?: string | undefined;
  policy_id?: string | undefined;
}

/** Lists incidents, the one that was opened last first; ids of incidents grow with time. */
@Injectable()
export class IncidentListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError where the cursor is not valid here */
  list<Item>(orgId: string, query: IncidentListQuery, show: (incident: Incident) => Item): Promise<Page<Item>> {
    const { status, severity, type } = query;
    const filters = {
      status,
      severity,
      type,
      user_id: query.user_id?.toLowerCase(),
      policy_id: query.policy_id?.toLowerCase(),
    };
    const list = {
      name: 'incidents',
      filters,
      table: 'incidents',
      as: 'i',
      where: equal(filters),
      rows: Incident,
      order: newestFirst('i.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
