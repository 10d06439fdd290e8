import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { OrgDatabase } from '#database';
import { Connector } from './connector.entity.js';

/** From where to list, and how much. */
export interface ConnectorListQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

const FILTERS = digestFilters('itsm_connectors', {});

/** Lists connectors, the newest first. */
@Injectable()
export class ConnectorListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(
    orgId: string,
    query: ConnectorListQuery,
    show: (connector: Connector) => Item,
  ): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, FILTERS, query.cursor);
    return this.database.snapshot(orgId, async em => {
      const totalCount = opened?.totalCount ?? (await em.count(Connector, { orgId }));
      const after = opened ? { id: { $lt: String(opened.position[0]) } } : {};
      const page = { orderBy: { id: 'desc' }, limit: limit + 1 } as const;
      const connectors = await em.find(Connector, { orgId, ...after }, page);
      const cursorAfter = ({ id }: Connector) => this.cursors.seal(orgId, FILTERS, { position: [id], totalCount });
      return pageOf(connectors, limit, show, cursorAfter, totalCount);
    });
  }
}
