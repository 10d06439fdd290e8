import { Injectable } from '@nestjs/common';
import { caseForms, type Page, type PageQuery, type UserStatus } from '#core';
import { ChangeFeed, equal, KeysetLists, plainSql, sql, type KeysetOrder, type Sql, type TableList } from '#database';
import { User } from './user.entity.js';
import { USERS_TOPIC } from './users.topic.js';

/** Orders of a list of users; `-` means descending. */
export const USER_ORDERS = ['name', '-name', 'last_active_at', '-last_active_at'] as const;

/** Filter and position for a list of users. */
export interface UserListQuery extends PageQuery {
  status?: UserStatus | undefined;
  /** The exact name of the department. */
  department?: string | undefined;
  /** Part of the name or the e-mail address, compared without case. */
  q?: string | undefined;
  /** Default: `name`. */
  sort?: (typeof USER_ORDERS)[number] | undefined;
}

const BY_NAME = { columns: ['u.name', 'u.id'], position: ({ name, id }: User) => [name, id] };

// No index contains the time, because each call changes it. Users without one are the earliest. The position of a cursor
// has milliseconds, so rows compare by milliseconds, too.
const BY_LAST_CALL = {
  columns: [`coalesce(date_trunc('milliseconds', u.last_active_at), '-infinity')`, 'u.id'],
  position: ({ lastActiveAt, id }: User) => [lastActiveAt?.toISOString() ?? '-infinity', id],
};

const ORDERS: Readonly<Record<(typeof USER_ORDERS)[number], KeysetOrder<User>>> = {
  name: { ...BY_NAME, direction: 'asc' },
  '-name': { ...BY_NAME, direction: 'desc' },
  last_active_at: { ...BY_LAST_CALL, direction: 'asc' },
  '-last_active_at': { ...BY_LAST_CALL, direction: 'desc' },
};

/**
 * Lists users by name or last activity, then id. A user who is created between two pages does not shift other users to
 * another page.
 */
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
    const { status, department, sort = 'name' } = query;
    const q = query.q?.toLowerCase();
    const list: TableList<User> = {
      name: 'users',
      filters: { status, department, q, sort },
      table: 'users',
      as: 'u',
      where: [...equal({ 'u.status': status, 'u.department': department }), q === undefined ? undefined : contains(q)],
      rows: User,
      order: ORDERS[sort],
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
