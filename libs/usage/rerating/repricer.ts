import { Injectable } from '@nestjs/common';
import { ChangeFeed } from '#database';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { adjustmentOf, type Adjustment, type RatedEvent } from './reprice.js';

/** Compares what events cost with the organization's present prices. */
@Injectable()
export class Repricer {
  constructor(
    private readonly prices: OrganizationPrices,
    private readonly changes: ChangeFeed,
  ) {}

  /** What must be added to these events; those that cost what they should are left out. */
  async adjustmentsOf(orgId: string, events: readonly RatedEvent[]): Promise<Adjustment[]> {
    // Prices that another process has changed before this call count.
    await this.changes.refresh(orgId);
    const catalog = await this.prices.of(orgId);
    return events.map(event => adjustmentOf(event, catalog)).filter(found => found !== null);
  }
}
