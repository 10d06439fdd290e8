import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  Clock,
  CursorSealer,
  DEFAULT_PAGE_LIMIT,
  digestFilters,
  pageOf,
  type CursorPosition,
  type Page,
  type UserStatus,
} from '#core';
import { ChangeFeed, countRows, LongListCounts, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { User } from './user.entity.js';
import { USERS_TOPIC } from './users.topic.js';

/** Which users to list, and from where. */
export interface UserListQuery {
  status?: UserStatus | undefined;
  /** The department's exact name. */
  department?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
}

/** Lists users by name, then id. A user who joins meanwhile moves nobody to another page. */
@Injectable()
export class UserListService {
  private readonly counts: LongListCounts;

  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly changes: ChangeFeed,
    clock: Clock,
  ) {
    this.counts = new LongListCounts(clock);
  }

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(orgId: string, query: UserListQuery, show: (user: User) => Item): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const { status, department } = query;
    const digest = digestFilters('users', { status, department });
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
    return this.database.transaction(orgId, async em => {
      const filter = filterOf(orgId, query);
      const totalCount = opened?.totalCount ?? (await this.count(em, orgId, digest, filter));
      const users = await usersAfter(em, filter, opened?.position, limit + 1);
      const cursorAfter = (user: User) =>
        this.cursors.seal(orgId, digest, { position: [user.name, user.id], totalCount });
      return pageOf(users, limit, show, cursorAfter, totalCount);
    });
  }

  /** Everything that a list shows raises the mark, but for the time of last activity, which no filter asks for. */
  private async count(em: EntityManager, orgId: string, digest: string, { sql, parameters }: Filter): Promise<number> {
    const version = await this.changes.versionWithin(em, orgId, USERS_TOPIC);
    const count = (): Promise<number> => countRows(sqlOf(em), `select 1 ${sql}`, parameters);
    return this.counts.of(`${orgId} ${digest}`, count, version);
  }
}

interface Filter {
  sql: string;
  parameters: unknown[];
}

function filterOf(orgId: string, { status, department }: UserListQuery): Filter {
  const parameters: unknown[] = [orgId];
  let sql = `from ${SCHEMA}.users u where u.org_id = $1`;
  if (status !== undefined) sql += ` and u.status = $${parameters.push(status)}`;
  if (department !== undefined) sql += ` and u.department = $${parameters.push(department)}`;
  return { sql, parameters };
}

async function usersAfter(
  em: EntityManager,
  filter: Filter,
  position: CursorPosition | undefined,
  limit: number,
): Promise<User[]> {
  const parameters = [...filter.parameters];
  let sql = `select u.* ${filter.sql}`;
  if (position) {
    const [name, id] = position;
    sql += ` and (u.name, u.id) > ($${parameters.push(name)}, $${parameters.push(id)}::uuid)`;
  }
  sql += ` order by u.name, u.id limit $${parameters.push(limit)}`;
  const rows = await sqlOf(em).query<Record<string, unknown>>(sql, parameters);
  return rows.map(row => em.map(User, row));
}
