import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, OrgDatabase } from '#database';
import { oneTicket, ticketsOf, type ShownTicket, type TicketFilter } from './ticket-rows.js';

/** Which tickets to list, and from where. */
export interface TicketListQuery extends TicketFilter, PageQuery {}

/** Reads the tickets of an organization. */
@Injectable()
export class TicketListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
  ) {}

  /** One page, the newest first. @throws BadRequestError where the cursor is not valid here */
  list(orgId: string, query: TicketListQuery): Promise<Page<ShownTicket>> {
    return this.lists.page(orgId, query, ticketsOf(query), ticket => ticket);
  }

  /** @throws TicketNotFoundError */
  get(orgId: string, id: string): Promise<ShownTicket> {
    return this.database.snapshot(orgId, em => oneTicket(em, orgId, id));
  }
}
