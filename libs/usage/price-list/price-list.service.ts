import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, newId, type Page, type PageQuery } from '#core';
import { ChangeFeed, KeysetLists, newestFirst, OrgDatabase, SCHEMA, sqlOf, type TableList } from '#database';
import { refuseAliasCycle } from './alias-cycle.js';
import { PRICES_TOPIC } from './organization-prices.js';
import { PriceRecord, type PriceTerms } from './price-record.entity.js';
import { PriceNotFoundError, PRICES_MAX, TooManyPricesError } from './price.errors.js';

const PRICES: TableList<PriceRecord> = {
  name: 'prices',
  table: 'prices',
  as: 'p',
  rows: PriceRecord,
  order: newestFirst('p.id'),
};

/** The organization's own prices: agreed prices and names for catalogue models. */
@Injectable()
export class PriceListService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the terms for a provider, model, tier, region and start of validity, compared without case. Changes the
   * existing entry, or adds one. If an equal entry exists, writes neither a version nor an audit entry. On this
   * replica, the entry applies to every event that is priced after the call returns.
   * @throws TooManyPricesError if the organization already has 10,000 entries
   * @throws BadRequestError if aliases would form a cycle
   */
  async put(actor: Actor, terms: PriceTerms): Promise<PriceRecord> {
    const record = await this.database.transaction(actor.orgId, async em => {
      const same = await findSame(em, actor.orgId, terms);
      if (same?.says(terms)) return same;
      // Incrementing the mark first serializes changes of one organization's prices. Another change may have been
      // committed meanwhile.
      await this.changes.mark(em, actor.orgId, PRICES_TOPIC);
      if (terms.kind === 'alias') await refuseAliasCycle(em, actor.orgId, terms);
      const known = await findSame(em, actor.orgId, terms);
      const before = known?.audited() ?? null;
      const now = this.clock.now();
      const price = known ?? PriceRecord.create(actor.orgId, newId(now), terms, now);
      if (known) known.agree(terms, now);
      else await this.add(em, price);
      await this.remember(em, actor, known ? 'price.updated' : 'price.created', price, before, price.audited());
      return price;
    });
    await this.changes.refresh(actor.orgId);
    return record;
  }

  private async add(em: EntityManager, price: PriceRecord): Promise<void> {
    if ((await em.count(PriceRecord, { orgId: price.orgId })) >= PRICES_MAX) throw new TooManyPricesError();
    em.persist(price);
  }

  /**
   * One page, newest first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: PageQuery, show: (record: PriceRecord) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, PRICES, show);
  }

  /**
   * Deletes an entry. Later events are priced without it.
   * @throws PriceNotFoundError
   */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(actor.orgId, async em => {
      await this.changes.mark(em, actor.orgId, PRICES_TOPIC);
      const price = await em.findOne(PriceRecord, { orgId: actor.orgId, id });
      if (!price) throw new PriceNotFoundError(id);
      await this.remember(em, actor, 'price.deleted', price, price.audited(), null);
      em.remove(price);
    });
    await this.changes.refresh(actor.orgId);
  }

  private remember(
    em: EntityManager,
    actor: Actor,
    action: string,
    price: PriceRecord,
    before: ReturnType<PriceRecord['audited']> | null,
    after: ReturnType<PriceRecord['audited']> | null,
  ): Promise<void> {
    return this.audit.append(em, actor, { action, resourceType: 'price', resourceId: price.id, before, after });
  }
}

const SAME = `
select id from ${SCHEMA}.prices
where org_id = $1 and kind = $2 and lower(provider) is not distinct from lower($3::text) and lower(model) = lower($4)
  and effective_from is not distinct from $5::timestamptz and service_tier = $6
  and lower(region) is not distinct from lower($7::text)`;

async function findSame(em: EntityManager, orgId: string, terms: PriceTerms): Promise<PriceRecord | null> {
  const { kind, provider, model } = terms;
  const own = kind === 'price' ? terms : { effectiveFrom: null, serviceTier: 'standard', region: null };
  const from = own.effectiveFrom?.toISOString() ?? null;
  const parameters = [orgId, kind, provider, model, from, own.serviceTier, own.region];
  const [row] = await sqlOf(em).query<{ id: string }>(SAME, parameters);
  // Another transaction may have changed it since it was last read here.
  return row ? em.findOne(PriceRecord, { orgId, id: row.id }, { refresh: true }) : null;
}
