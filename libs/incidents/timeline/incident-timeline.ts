import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { OrgDatabase } from '#database';
import type { Incident } from '../incident/incident.entity.js';
import { findIncident } from '../manage/incident.service.js';
import { TimelineRows, type TimelineRow } from './timeline-rows.js';
import { presentItem, type TimelineItem } from './timeline-item.js';
import { TimelineSources } from './timeline-sources.js';

/** From where to read a timeline, and how much. */
export interface TimelineQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** How many entries the view of an incident shows. */
const NEWEST = 50;

/** Reads what happened with an incident, the newest first. */
@Injectable()
export class IncidentTimeline {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly sources: TimelineSources,
  ) {}

  /**
   * One page. With `ofUser` only of an incident about that user, and without what operators say among themselves: their
   * notes and the deliveries to their systems.
   * @throws IncidentNotFoundError
   * @throws BadRequestError where the cursor is not valid here
   */
  async list(orgId: string, id: string, query: TimelineQuery, ofUser?: string): Promise<Page<TimelineItem>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const digest = digestFilters('incident_timeline', { id, ofUser });
    return this.database.snapshot(orgId, async em => {
      const incident = await findIncident(em, orgId, id, ofUser);
      const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
      const rows = new TimelineRows(em, incident, ofUser !== undefined);
      const totalCount = opened?.totalCount ?? (await rows.count());
      const found = await rows.newest(limit + 1, opened && String(opened.position[0]));
      const cursorAfter = ({ id: last }: TimelineRow) =>
        this.cursors.seal(orgId, digest, { position: [last], totalCount });
      const facts = await this.factsOf(em, orgId, found.slice(0, limit), ofUser);
      return pageOf(found, limit, row => presentItem(row, facts), cursorAfter, totalCount);
    });
  }

  /** An incident with its newest 50 entries, both of one moment. @throws IncidentNotFoundError */
  async view(orgId: string, id: string, ofUser?: string): Promise<{ incident: Incident; timeline: TimelineItem[] }> {
    return this.database.snapshot(orgId, async em => {
      const incident = await findIncident(em, orgId, id, ofUser);
      const rows = await new TimelineRows(em, incident, ofUser !== undefined).newest(NEWEST);
      const facts = await this.factsOf(em, orgId, rows, ofUser);
      return { incident, timeline: rows.map(row => presentItem(row, facts)) };
    });
  }

  private async factsOf(em: EntityManager, orgId: string, rows: readonly TimelineRow[], ofUser: string | undefined) {
    const eventIds = rows.flatMap(({ event_id }) => event_id ?? []);
    return this.sources.read(em, orgId, ofUser === undefined ? eventIds : []);
  }
}
