import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { KeysetLists, OrgDatabase, sqlOf } from '#database';
import { findWebhook } from '../registrations/webhook.service.js';
import type { ShownDelivery } from './delivery.js';
import { deliveriesOf, oneDelivery, withLatestAttempts, type DeliveryFilter } from './delivery-rows.js';

/** Filters and page of a list of deliveries. */
export interface DeliveryListQuery extends DeliveryFilter, PageQuery {}

/** Reads deliveries and their attempts. */
@Injectable()
export class DeliveryLog {
  constructor(
    private readonly database: OrgDatabase,
    private readonly lists: KeysetLists,
  ) {}

  /**
   * Returns one page, newest delivery first. Each delivery has its ten latest attempts.
   * @throws WebhookNotFoundError
   * @throws BadRequestError if the cursor is not valid here
   */
  async list(orgId: string, webhookId: string, query: DeliveryListQuery): Promise<Page<ShownDelivery>> {
    return this.database.snapshot(orgId, async em => {
      await findWebhook(em, orgId, webhookId);
      const page = await this.lists.pageWithin(em, orgId, query, deliveriesOf(orgId, webhookId, query));
      return { ...page, items: await withLatestAttempts(sqlOf(em), orgId, page.items) };
    });
  }

  /**
   * Returns one page of the deliveries of all webhooks, in the form of {@link list}.
   * @throws BadRequestError if the cursor is not valid here
   */
  async listAll(orgId: string, query: DeliveryListQuery): Promise<Page<ShownDelivery>> {
    return this.database.snapshot(orgId, async em => {
      const page = await this.lists.pageWithin(em, orgId, query, deliveriesOf(orgId, undefined, query));
      return { ...page, items: await withLatestAttempts(sqlOf(em), orgId, page.items) };
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
      return oneDelivery(em, orgId, webhookId, id);
    });
  }
}
