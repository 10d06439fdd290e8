import { Injectable } from '@nestjs/common';
import { UserDirectory } from '#core';
import { ChangeFeed } from '#database';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import type { OwnedAdjustment } from './adjustment-ledger.js';
import { adjustmentOf, type RatedEvent } from './reprice.js';

/** Compares what events cost with the organization's present prices. */
@Injectable()
export class Repricer {
  constructor(
    private readonly prices: OrganizationPrices,
    private readonly changes: ChangeFeed,
    private readonly users: UserDirectory,
  ) {}

  /** What must be added to these events; those that cost what they should are left out. */
  async adjustmentsOf(orgId: string, events: readonly RatedEvent[]): Promise<OwnedAdjustment[]> {
    // Prices that another process has changed before this call count.
    await this.changes.refresh(orgId);
    const catalog = await this.prices.of(orgId);
    const adjustments = events.map(event => adjustmentOf(event, catalog)).filter(found => found !== null);
    const ids = [...new Set(adjustments.map(({ event }) => event.userId))];
    const people = await this.users.find(
      orgId,
      ids.map(id => ({ user_id: id })),
    );
    const departments = new Map(ids.map((id, at) => [id, people[at]?.department ?? null]));
    return adjustments.map(found => Object.assign(found, { department: departments.get(found.event.userId) ?? null }));
  }
}
