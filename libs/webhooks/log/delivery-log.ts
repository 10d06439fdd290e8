import { Injectable } from '@nestjs/common';
import { CursorSealer, DEFAULT_PAGE_LIMIT, digestFilters, pageOf, type Page } from '#core';
import { OrgDatabase } from '#database';
import { findWebhook } from '../registrations/webhook.service.js';
import type { ShownDelivery } from './delivery.js';
import { DeliveryRows, type DeliveryFilter } from './delivery-rows.js';

/** Which deliveries to list, and from where. */
export interface DeliveryListQuery extends DeliveryFilter {
  cursor?: string | undefined;
  /** 1 to 100. Default: 25. */
  limit?: number | undefined;
}

/** Reads what was to be delivered to a webhook, and each attempt. */
@Injectable()
export class DeliveryLog {
  constructor(
    private readonly database: OrgDatabase,
    private readonly cursors: CursorSealer,
  ) {}

  /**
   * One page, the newest first, each delivery with its ten latest attempts.
   * @throws WebhookNotFoundError
   * @throws BadRequestError where the cursor is not valid here
   */
  async list(orgId: string, webhookId: string, query: DeliveryListQuery): Promise<Page<ShownDelivery>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const { status, event_type } = query;
    const digest = digestFilters('webhook_deliveries', { webhookId, status, event_type });
    return this.database.snapshot(orgId, async em => {
      await findWebhook(em, orgId, webhookId);
      const opened = query.cursor === undefined ? undefined : this.cursors.open(orgId, digest, query.cursor);
      const rows = new DeliveryRows(em, orgId, webhookId, { status, event_type });
      const totalCount = opened?.totalCount ?? (await rows.count());
      const deliveries = await rows.newest(limit + 1, opened && String(opened.position[0]));
      const cursorAfter = ({ id }: ShownDelivery) => this.cursors.seal(orgId, digest, { position: [id], totalCount });
      return pageOf(deliveries, limit, delivery => delivery, cursorAfter, totalCount);
    });
  }

  /**
   * A delivery with all its attempts.
   * @throws WebhookNotFoundError
   * @throws DeliveryNotFoundError
   */
  async get(orgId: string, webhookId: string, id: string): Promise<ShownDelivery> {
    return this.database.snapshot(orgId, async em => {
      await findWebhook(em, orgId, webhookId);
      return new DeliveryRows(em, orgId, webhookId).one(id);
    });
  }
}
