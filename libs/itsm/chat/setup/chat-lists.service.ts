import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, newestFirst, type TableList } from '#database';
import { ChatLink } from './chat-link.entity.js';
import { ChatWorkspace } from './chat-workspace.entity.js';

const WORKSPACES: TableList<ChatWorkspace> = {
  name: 'chat_workspaces',
  table: 'chat_workspaces',
  as: 'w',
  rows: ChatWorkspace,
  order: newestFirst('w.id'),
};

const LINKS: TableList<ChatLink> = {
  name: 'chat_links',
  table: 'chat_links',
  as: 'l',
  rows: ChatLink,
  order: newestFirst('l.id'),
};

/** Lists workspaces and links by descending id, so that the newest come first. */
@Injectable()
export class ChatLists {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  workspaces<Item>(orgId: string, query: PageQuery, show: (row: ChatWorkspace) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, WORKSPACES, show);
  }

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  links<Item>(orgId: string, query: PageQuery, show: (row: ChatLink) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, LINKS, show);
  }
}
