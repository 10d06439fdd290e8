import { Injectable } from '@nestjs/common';
import { PricingCatalog } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory } from '#database';
import { DiscountedCatalog, OverridingCatalog } from '../prices/index.js';
import { Discount } from './discount.entity.js';
import { PriceRecord } from './price-record.entity.js';

/** Topic of the change feed for the organizations' own prices and discounts. */
export const PRICES_TOPIC = 'prices';

/**
 * Caches the catalogue of each organization, with the organization's own prices and discounts. Loads it on first use,
 * and again after every change of these prices or discounts on any replica.
 */
@Injectable()
export class OrganizationPrices extends OrgMemory<PricingCatalog> {
  constructor(database: OrgDatabase, changes: ChangeFeed, base: PricingCatalog) {
    super(changes, [PRICES_TOPIC], async orgId => {
      const [records, discounts] = await database.transaction(orgId, async em => {
        const found = await em.find(PriceRecord, { orgId });
        return [found, await em.find(Discount, { orgId })] as const;
      });
      const prices = withPrices(base, records);
      return discounts.length === 0 ? prices : new DiscountedCatalog(prices, discounts);
    });
  }
}

function withPrices(base: PricingCatalog, records: readonly PriceRecord[]): PricingCatalog {
  if (records.length === 0) return base;
  const overrides = records.map(record => record.asOverride()).filter(price => price !== null);
  const aliases = records.map(record => record.asAlias()).filter(alias => alias !== null);
  return new OverridingCatalog(base, overrides, aliases);
}
