import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { OrgDatabase } from '#database';
import { NO_HEALTH, WebhookHealth, type ShownHealth } from '../log/webhook-health.js';
import { Webhook } from './webhook.entity.js';

/** From where to list, and how much. */
export interface WebhookListQuery {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

const FILTERS = digestFilters('webhooks', {});

/** Lists webhooks, the newest first; ids of webhooks grow with time. */
@Injectable()
export class WebhookListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
    private readonly health: WebhookHealth,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async list<Item>(
    orgId: string,
    query: WebhookListQuery,
    show: (webhook: Webhook, health: ShownHealth) => Item,
  ): Promise<Page<Item>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, FILTERS, query.cursor);
    return this.database.transaction(orgId, async em => {
      const totalCount = opened?.totalCount ?? (await em.count(Webhook, { orgId }));
      const after = opened ? { id: { $lt: String(opened.position[0]) } } : {};
      const page = { orderBy: { id: 'desc' }, limit: limit + 1 } as const;
      const webhooks = await em.find(Webhook, { orgId, ...after }, page);
      const ids = webhooks.map(({ id }) => id);
      const health = await this.health.read(em, orgId, ids);
      const cursorAfter = ({ id }: Webhook) => this.cursors.seal(orgId, FILTERS, { position: [id], totalCount });
      const shown = (webhook: Webhook) => show(webhook, health.get(webhook.id) ?? NO_HEALTH);
      return pageOf(webhooks, limit, shown, cursorAfter, totalCount);
    });
  }
}
