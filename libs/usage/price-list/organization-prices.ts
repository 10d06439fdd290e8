import { Injectable } from '@nestjs/common';
import { PricingCatalog } from '#core';
import { ChangeFeed, OrgDatabase, OrgMemory } from '#database';
import { OverridingCatalog } from '../prices/index.js';
import { PriceRecord } from './price-record.entity.js';

/** Topic of the change feed for the organizations' own prices. */
export const PRICES_TOPIC = 'prices';

/**
 * The catalogue of each organization, with its own prices on top, in memory. It is read when it is first asked for and
 * again whenever the organization's prices change on any replica.
 */
@Injectable()
export class OrganizationPrices extends OrgMemory<PricingCatalog> {
  constructor(database: OrgDatabase, changes: ChangeFeed, base: PricingCatalog) {
    super(changes, [PRICES_TOPIC], async orgId => {
      const records = await database.transaction(orgId, em => em.find(PriceRecord, { orgId }));
      if (records.length === 0) return base;
      const overrides = records.map(record => record.asOverride()).filter(price => price !== null);
      const aliases = records.map(record => record.asAlias()).filter(alias => alias !== null);
      return new OverridingCatalog(base, overrides, aliases);
    });
  }
}
