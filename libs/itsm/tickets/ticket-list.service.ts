import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { OrgDatabase } from '#database';
import { TicketRows, type ShownTicket, type TicketFilter } from './ticket-rows.js';

/** Which tickets to list, and from where. */
export interface TicketListQuery extends TicketFilter {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** Reads the tickets of an organization. */
@Injectable()
export class TicketListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page, the newest first. @throws BadRequestError where the cursor is not valid here */
  async list(orgId: string, query: TicketListQuery): Promise<Page<ShownTicket>> {
    const { cursor, limit = DEFAULT_PAGE_LIMIT, status, sync_state, connector_id, incident_id, kind } = query;
    const filter = { status, sync_state, connector_id, incident_id, kind };
    const digest = digestFilters('tickets', filter);
    return this.database.snapshot(orgId, async em => {
      const opened = cursor === undefined ? undefined : this.cursors.open(orgId, digest, cursor);
      const rows = new TicketRows(em, orgId, filter);
      const totalCount = opened?.totalCount ?? (await rows.count());
      const tickets = await rows.newest(limit + 1, opened && String(opened.position[0]));
      const cursorAfter = ({ id }: ShownTicket) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(tickets, limit, ticket => ticket, cursorAfter, totalCount);
    });
  }

  /** @throws TicketNotFoundError */
  async get(orgId: string, id: string): Promise<ShownTicket> {
    return this.database.snapshot(orgId, em => new TicketRows(em, orgId).one(id));
  }
}
