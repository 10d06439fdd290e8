import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { countRows, OrgDatabase, SCHEMA, sqlOf } from '#database';
import { ChatLink } from './chat-link.entity.js';
import { ChatWorkspace } from './chat-workspace.entity.js';

/** From where to list, and how much. */
export interface ChatListQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

const NEWEST_FIRST = { id: 'desc' } as const;

type Find<Row> = (em: EntityManager, before: { id?: { $lt: string } }, limit: number) => Promise<Row[]>;

/** Lists workspaces and links, the newest first; their ids grow with time. */
@Injectable()
export class ChatLists {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here */
  workspaces<Item>(orgId: string, query: ChatListQuery, show: (row: ChatWorkspace) => Item): Promise<Page<Item>> {
    const find: Find<ChatWorkspace> = (em, before, limit) =>
      em.find(ChatWorkspace, { orgId, ...before }, { orderBy: NEWEST_FIRST, limit });
    return this.list(orgId, 'chat_workspaces', query, show, find);
  }

  /** One page. @throws BadRequestError where the cursor is not valid here */
  links<Item>(orgId: string, query: ChatListQuery, show: (row: ChatLink) => Item): Promise<Page<Item>> {
    const find: Find<ChatLink> = (em, before, limit) =>
      em.find(ChatLink, { orgId, ...before }, { orderBy: NEWEST_FIRST, limit });
    return this.list(orgId, 'chat_links', query, show, find);
  }

  private async list<Row extends { id: string }, Item>(
    orgId: string,
    table: 'chat_workspaces' | 'chat_links',
    { cursor, limit = DEFAULT_PAGE_LIMIT }: ChatListQuery,
    show: (row: Row) => Item,
    find: Find<Row>,
  ): Promise<Page<Item>> {
    const digest = digestFilters(table, {});
    const opened = cursor === undefined ? undefined : this.cursors.open(orgId, digest, cursor);
    return this.database.transaction(orgId, async em => {
      const all = `select 1 from ${SCHEMA}.${table} where org_id = $1`;
      const totalCount = opened?.totalCount ?? (await countRows(sqlOf(em), all, [orgId]));
      const rows = await find(em, opened ? { id: { $lt: String(opened.position[0]) } } : {}, limit + 1);
      const cursorAfter = ({ id }: Row) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(rows, limit, show, cursorAfter, totalCount);
    });
  }
}
