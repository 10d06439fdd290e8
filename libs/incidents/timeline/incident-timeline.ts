import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Page, PageQuery } from '#core';
import { KeysetLists, OrgDatabase, showPage } from '#database';
import { findIncident } from '../incident/find-incident.js';
import type { Incident } from '../incident/incident.entity.js';
import { TimelineRows, type TimelineRow } from './timeline-rows.js';
import { presentItem, type TimelineItem } from './timeline-item.js';
import { TimelineSources } from './timeline-sources.js';

/** Number of entries in the view of an incident. */
const NEWEST = 50;

/** Reads the timelines of incidents, the newest entries first. */
@Injectable()
export class IncidentTimeline {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly sources: TimelineSources,
  ) {}

  /**
   * One page of a timeline. With `ofUser`, the incident must be about that user, and internal entries are omitted:
   * notes, deliveries and tickets.
   * @throws IncidentNotFoundError
   * @throws BadRequestError if the cursor is not valid here
   */
  async list(orgId: string, id: string, query: PageQuery, ofUser?: string): Promise<Page<TimelineItem>> {
    return this.database.snapshot(orgId, async em => {
      const incident = await findIncident(em, orgId, id, ofUser);
      const rows = new TimelineRows(incident, ofUser !== undefined);
      const page = await this.lists.pageWithin<TimelineRow>(em, orgId, query, {
        name: 'incident_timeline',
        filters: { id, ofUser },
        counted: rows.all,
        position: row => [row.id],
        read: (_, { limit, after }) => rows.newest(em, limit, after && String(after[0])),
      });
      const facts = await this.factsOf(em, orgId, page.items, ofUser);
      return showPage(page, row => presentItem(row, facts));
    });
  }

  /**
   * An incident with its newest 50 timeline entries, read in one snapshot.
   * @throws IncidentNotFoundError
   */
  async view(orgId: string, id: string, ofUser?: string): Promise<{ incident: Incident; timeline: TimelineItem[] }> {
    return this.database.snapshot(orgId, async em => {
      const incident = await findIncident(em, orgId, id, ofUser);
      const rows = await new TimelineRows(incident, ofUser !== undefined).newest(em, NEWEST);
      const facts = await this.factsOf(em, orgId, rows, ofUser);
      return { incident, timeline: rows.map(row => presentItem(row, facts)) };
    });
  }

  private async factsOf(em: EntityManager, orgId: string, rows: readonly TimelineRow[], ofUser: string | undefined) {
    const eventIds = rows.flatMap(({ event_id }) => event_id ?? []);
    return this.sources.read(em, orgId, ofUser === undefined ? eventIds : []);
  }
}
