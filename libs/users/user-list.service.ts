import { Injectable } from '@nestjs/common';
import type { Page, PageQuery, UserStatus } from '#core';
import { ChangeFeed, equal, KeysetLists, type TableList } from '#database';
import { User } from './user.entity.js';
import { USERS_TOPIC } from './users.topic.js';

/** Which users to list, and from where. */
export interface UserListQuery extends PageQuery {
  status?: UserStatus | undefined;
  /** The department's exact name. */
  department?: string | undefined;
}

/** Lists users by name, then id. A user who joins meanwhile moves nobody to another page. */
@Injectable()
export class UserListService {
  constructor(
    private readonly lists: KeysetLists,
    private readonly changes: ChangeFeed,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  list<Item>(orgId: string, query: UserListQuery, show: (user: User) => Item): Promise<Page<Item>> {
    const { status, department } = query;
    const list: TableList<User> = {
      name: 'users',
      filters: { status, department },
      table: 'users',
      as: 'u',
      where: equal({ 'u.status': status, 'u.department': department }),
      rows: User,
      order: {
        columns: ['u.name', 'u.id'],
        direction: 'asc',
        position: ({ name, id }) => [name, id],
      },
      // Every change of what a list shows raises the mark, except for the time of last activity, which no filter uses.
      keepCount: em => this.changes.versionWithin(em, orgId, USERS_TOPIC),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
