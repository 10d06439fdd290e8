import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, newestFirst, type TableList } from '#database';
import { GatewayProvider } from './provider.entity.js';

const PROVIDERS: TableList<GatewayProvider> = {
  name: 'gateway_providers',
  table: 'gateway_providers',
  as: 'p',
  rows: GatewayProvider,
  order: newestFirst('p.id'),
};

/** Lists providers, the newest first. */
@Injectable()
export class ProviderListService {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid */
  list<Item>(orgId: string, query: PageQuery, show: (provider: GatewayProvider) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, PROVIDERS, show);
  }
}
