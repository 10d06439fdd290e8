import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, newestFirst, OrgDatabase, showPage, type TableList } from '#database';
import { NO_HEALTH, WebhookHealth, type ShownHealth } from './webhook-health.js';
import { Webhook } from '../registrations/webhook.entity.js';

const WEBHOOKS: TableList<Webhook> = {
  name: 'webhooks',
  table: 'webhooks',
  as: 'w',
  rows: Webhook,
  order: newestFirst('w.id'),
};

/** Lists webhooks, the newest first. Ids grow with time, so the list is ordered by id. */
@Injectable()
export class WebhookListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
    private readonly health: WebhookHealth,
  ) {}

  /** One page. @throws BadRequestError if the cursor is not valid here */
  async list<Item>(
    orgId: string,
    query: PageQuery,
    show: (webhook: Webhook, health: ShownHealth) => Item,
  ): Promise<Page<Item>> {
    return this.database.snapshot(orgId, async em => {
      const page = await this.lists.pageWithin(em, orgId, query, WEBHOOKS);
      const ids = page.items.map(({ id }) => id);
      const health = await this.health.read(em, orgId, ids);
      return showPage(page, webhook => show(webhook, health.get(webhook.id) ?? NO_HEALTH));
    });
  }
}
