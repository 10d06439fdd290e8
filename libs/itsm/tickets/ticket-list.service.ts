import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, OrgDatabase } from '#database';
import { oneTicket, ticketsOf, type ShownTicket, type TicketFilter } from './ticket-rows.js';

/** Filters and cursor of a list of tickets. */
export interface TicketListQuery extends TicketFilter, PageQuery {}

/** Reads the tickets of an organization. */
@Injectable()
export class TicketListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
  ) {}

  /** Returns one page, newest first. @throws BadRequestError if the cursor is invalid for this list */
  list(orgId: string, query: TicketListQuery): Promise<Page<ShownTicket>> {
    return this.lists.page(orgId, query, ticketsOf(query), ticket => ticket);
  }

  /** @throws TicketNotFoundError */
  get(orgId: string, id: string): Promise<ShownTicket> {
    return this.database.snapshot(orgId, em => oneTicket(em, orgId, id));
  }
}
