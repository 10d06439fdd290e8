import { Injectable } from '@nestjs/common';
import { caseForms, type Page, type PageQuery, type UserStatus } from '#core';
import { ChangeFeed, equal, KeysetLists, plainSql, sql, type Sql, type TableList } from '#database';
import { User } from './user.entity.js';
import { USERS_TOPIC } from './users.topic.js';

/** Which users to list, and from where. */
export interface UserListQuery extends PageQuery {
  status?: UserStatus | undefined;
  /** The department's exact name. */
  department?: string | undefined;
  /** A part of the name or the e-mail address, in any case. */
  q?: string | undefined;
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
    const q = query.q?.toLowerCase();
    const list: TableList<User> = {
      name: 'users',
      filters: { status, department, q },
      table: 'users',
      as: 'u',
      where: [...equal({ 'u.status': status, 'u.department': department }), q === undefined ? undefined : contains(q)],
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

function contains(q: string): Sql {
  const [lower, asciiOnly] = caseForms(q);
  const name = plainSql('lower(u.name collate "default")');
  return sql`(strpos(u.email_key, ${lower}) > 0 or strpos(${name}, ${lower}) > 0 or strpos(${name}, ${asciiOnly}) > 0)`;
}
