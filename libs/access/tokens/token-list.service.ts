import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, newestFirst, plainSql, sql } from '#database';
import { AccessToken } from './access-token.entity.js';
import { HOLDS } from './token.sql.js';

/** Filters and page of the list. */
export interface TokenListQuery extends PageQuery {
  /** Only tokens that this user or subject created, also indirectly. */
  issued_by?: string | undefined;
  /** Only tokens of this user. */
  user_id?: string | undefined;
  /** Only tokens for this project. */
  project?: string | undefined;
}

/** Lists active tokens, newest first (ids are time-ordered). */
@Injectable()
export class TokenListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  list<Item>(orgId: string, query: TokenListQuery, show: (token: AccessToken) => Item): Promise<Page<Item>> {
    const issued_by = query.issued_by?.toLowerCase();
    const user_id = query.user_id?.toLowerCase();
    const { project } = query;
    const list = {
      name: 'tokens',
      filters: { issued_by, user_id, project },
      table: 'access_tokens',
      as: 't',
      where: [
        plainSql(HOLDS),
        issued_by === undefined ? undefined : sql`t.issued_by @> array[${issued_by}::text]`,
        ...equal({ 't.user_id': user_id, 't.project': project }),
      ],
      rows: AccessToken,
      order: newestFirst('t.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }
}
