import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, newestFirst, type TableList } from '#database';
import { Connector } from './connector.entity.js';

const CONNECTORS: TableList<Connector> = {
  name: 'itsm_connectors',
  table: 'itsm_connectors',
  as: 'c',
  rows: Connector,
  order: newestFirst('c.id'),
};

/** Lists connectors, the newest first. */
@Injectable()
export class ConnectorListService {
  constructor(private readonly lists: KeysetLists) {}

  /** Returns one page. @throws BadRequestError if the cursor is not valid for this list */
  list<Item>(orgId: string, query: PageQuery, show: (connector: Connector) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, CONNECTORS, show);
  }
}
