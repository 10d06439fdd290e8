import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '#database';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { adjustmentOf, type Adjustment, type RatedEvent } from './reprice.js';

/** Compares the cost of events with the current prices of the organization. */
@Injectable()
export class Repricer {
  constructor(
    private readonly prices: OrganizationPrices,
    private readonly changes: ChangeFeed,
  ) {}

  /** Returns the adjustments of the events whose cost is wrong. */
  async adjustmentsOf(orgId: string, events: readonly RatedEvent[]): Promise<Adjustment[]> {
    // Loads the current prices, including changes that another process has committed before this call.
    await this.changes.refresh(orgId);
    const catalog = await this.prices.of(orgId);
    return events.map(event => adjustmentOf(event, catalog)).filter(found => found !== null);
  }
}
