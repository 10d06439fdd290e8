import { Injectable } from '@nestjs/common';
import { PricingCatalog } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { OverridingCatalog } from '../prices/index.js';
import { PriceRecord } from './price-record.entity.js';

/** Topic of the change feed for the organizations' own prices. */
export const PRICES_TOPIC = 'prices';

/**
 * The catalogue of each organization, with its own prices on top, in memory. It is read when it is first asked for and
 * again whenever the organization's prices change on any replica.
 */
@Injectable()
export class OrganizationPrices {
  private readonly catalogs = new Map<string, PricingCatalog>();
  private readonly loading = new Map<string, Promise<PricingCatalog>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly base: PricingCatalog,
  ) {
    changes.subscribe(PRICES_TOPIC, orgId => this.reload(orgId));
  }

  /** What is in memory, or undefined where the organization was never asked for. */
  peek(orgId: string): PricingCatalog | undefined {
    return this.catalogs.get(orgId);
  }

  /** Prices of one organization. Rejects where they are not in memory and the database cannot be reached. */
  async of(orgId: string): Promise<PricingCatalog> {
    return this.catalogs.get(orgId) ?? this.loading.get(orgId) ?? this.start(orgId);
  }

  /** Callers who come meanwhile wait for the same reading; a failed one is not kept. */
  private start(orgId: string): Promise<PricingCatalog> {
    const loading = this.load(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, loading);
    return loading;
  }

  private async load(orgId: string): Promise<PricingCatalog> {
    await this.changes.watch(orgId);
    return this.read(orgId);
  }

  private async read(orgId: string): Promise<PricingCatalog> {
    const records = await this.database.transaction(orgId, em => em.find(PriceRecord, { orgId }));
    const overrides = records.map(record => record.asOverride()).filter(price => price !== null);
    const aliases = records.map(record => record.asAlias()).filter(alias => alias !== null);
    const catalog = records.length === 0 ? this.base : new OverridingCatalog(this.base, overrides, aliases);
    this.catalogs.set(orgId, catalog);
    return catalog;
  }

  /** The feed calls this once at a time and again until it succeeds. */
  private async reload(orgId: string): Promise<void> {
    await this.loading.get(orgId)?.catch(() => undefined);
    if (this.catalogs.has(orgId)) await this.read(orgId);
  }
}
