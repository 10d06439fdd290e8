import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { Policy } from './policy.entity.js';

/** From where to list, and how much. */
export interface PolicyListQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

const ALL = `select p.* from ${SCHEMA}.policies p where p.org_id = $1`;
const NEWEST_FIRST = 'order by p.created_at desc, p.id desc limit';

/** Lists policies, the newest first. What is created or deleted meanwhile moves nothing to another page. */
@Injectable()
export class PolicyListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(orgId: string, query: PolicyListQuery, show: (policy: Policy) => Item): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const digest = digestFilters('policies', {});
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    return this.database.transaction(orgId, async em => {
      const tx = sqlOf(em);
      const totalCount = opened?.totalCount ?? (await countRows(tx, ALL, [orgId]));
      const rows = opened
        ? await tx.query<Record<string, unknown>>(
            `${ALL} and (p.created_at, p.id) < ($2::timestamptz, $3::uuid) ${NEWEST_FIRST} $4`,
            [orgId, ...opened.position, limit + 1],
          )
        : await tx.query<Record<string, unknown>>(`${ALL} ${NEWEST_FIRST} $2`, [orgId, limit + 1]);
      const policies = rows.map(row => em.map(Policy, row));
      const cursorAfter = ({ createdAt, id }: Policy) =>
        this.cursors.seal(orgId, digest, { position: [createdAt.toISOString(), id], totalCount });
      return pageOf(policies, limit, show, cursorAfter, totalCount);
    });
  }
}
