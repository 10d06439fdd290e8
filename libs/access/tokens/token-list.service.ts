import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, newestFirst, plainSql, sql, type KeysetOrder } from '#database';
import { AccessToken } from './access-token.entity.js';
import { HOLDS } from './token.sql.js';

/** Orders of the list; `-` means descending. */
export const TOKEN_ORDERS = ['newest', 'expires_at', '-expires_at'] as const;

/** Filters and page of the list. */
export interface TokenListQuery extends PageQuery {
  /** Only tokens that this user or subject created, also indirectly. */
  issued_by?: string | undefined;
  /** Only tokens of this user. */
  user_id?: string | undefined;
  /** Only tokens for this project. */
  project?: string | undefined;
  /** Default: `newest`. */
  sort?: (typeof TOKEN_ORDERS)[number] | undefined;
}

// A token without an expiry is the last to expire. The position of a cursor has milliseconds, so rows compare by
// milliseconds, too.
const BY_EXPIRY = {
  columns: [`coalesce(date_trunc('milliseconds', t.expires_at), 'infinity')`, 't.id'],
  position: ({ expiresAt, id }: AccessToken) => [expiresAt?.toISOString() ?? 'infinity', id],
};

const ORDERS: Readonly<Record<(typeof TOKEN_ORDERS)[number], KeysetOrder<AccessToken>>> = {
  newest: newestFirst('t.id'),
  expires_at: { ...BY_EXPIRY, direction: 'asc' },
  '-expires_at': { ...BY_EXPIRY, direction: 'desc' },
};

/** Lists active tokens, newest first (ids are time-ordered) or by expiry. */
@Injectable()
export class TokenListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  list<Item>(orgId: string, query: TokenListQuery, show: (token: AccessToken) => Item): Promise<Page<Item>> {
    const issued_by = query.issued_by?.toLowerCase();
    const user_id = query.user_id?.toLowerCase();
    const { project, sort = 'newest' } = query;
    const list = {
      name: 'tokens',
      filters: { issued_by, user_id, project, sort },
      table: 'access_tokens',
      as: 't',
      where: [
        plainSql(HOLDS),
        issued_by === undefined ? undefined : sql`t.issued_by @> array[${issued_by}::text]`,
        ...equal({ 't.user_id': user_id, 't.project': project }),
      ],
      rows: AccessToken,
      order: ORDERS[sort],
    };
    return this.lists.page(orgId, query, list, show);
  }
}
