import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, type TableList } from '#database';
import { Policy } from './policy.entity.js';

const POLICIES: TableList<Policy> = {
  name: 'policies',
  table: 'policies',
  as: 'p',
  rows: Policy,
  order: {
    columns: ['p.created_at', 'p.id'],
    direction: 'desc',
    position: ({ createdAt, id }) => [createdAt.toISOString(), id],
  },
};

/** Lists policies, the newest first, with keyset pagination: concurrent changes do not move policies to other pages. */
@Injectable()
export class PolicyListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is not valid here. */
  list<Item>(orgId: string, query: PageQuery, show: (policy: Policy) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, POLICIES, show);
  }
}
