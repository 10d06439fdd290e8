import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, newestFirst } from '#database';
import { UserIdentity } from './user-identity.entity.js';

/** Filters and cursor of the list. */
export interface IdentityListQuery extends PageQuery {
  user_id?: string | undefined;
}

/** Lists links between accounts at identity providers and users, the newest first. */
@Injectable()
export class IdentityListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  list<Item>(orgId: string, query: IdentityListQuery, show: (link: UserIdentity) => Item): Promise<Page<Item>> {
    const user_id = query.user_id?.toLowerCase();
    const list = {
      name: 'identities',
      filters: { user_id },
      table: 'identities',
      as: 'i',
      where: equal({ 'i.user_id': user_id }),
      rows: UserIdentity,
      order: newestFirst('i.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
