import { Injectable } from '@nestjs/common';
import { caseForms, type Page, type PageQuery, type UserStatus } from '#core';
import { ChangeFeed, equal, KeysetLists, plainSql, sql, type Sql, type TableList } from '#database';
import { User } from './user.entity.js';
import { USERS_TOPIC } from './users.topic.js';

/** Filter and position for a list of users. */
export interface UserListQuery extends PageQuery {
  status?: UserStatus | undefined;
  /** The exact name of the department. */
  department?: string | undefined;
  /** Part of the name or the e-mail address, compared without case. */
  q?: string | undefined;
}

/** Lists users by name, then id. A user who is created between two pages does not shift other users to another page. */
@Injectable()
export class UserListService {
  constructor(
    private readonly lists: KeysetLists,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Returns one page.
   * @throws BadRequestError if the cursor is not valid for this list
   */
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
      // The version is enough to detect that the count has changed. Only changes of the last activity do not increment
      // it, and no filter uses that time.
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
