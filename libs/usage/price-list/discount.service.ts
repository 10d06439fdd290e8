import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, ConflictError, newId, NotFoundError, type JsonObject, type Page, type PageQuery } from '#core';
import { ChangeFeed, KeysetLists, newestFirst, OrgDatabase, SCHEMA, sqlOf, type TableList } from '#database';
import type { ContractDiscount } from '../prices/index.js';
import { Discount } from './discount.entity.js';
import { PRICES_TOPIC } from './organization-prices.js';

/** Maximum number of discounts of one organization, because every replica keeps them in memory. */
export const DISCOUNTS_MAX = 1_000;

/** The organization has no discount with this id. */
export class DiscountNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no discount ${id} in your organization.`);
  }
}

/** The organization has the maximum number of discounts. */
export class TooManyDiscountsError extends ConflictError {
  constructor() {
    super(
      `Your organization has ${DISCOUNTS_MAX} discounts, the maximum; delete some, or let one pattern name several models.`,
    );
  }
}

const DISCOUNTS: TableList<Discount> = {
  name: 'discounts',
  table: 'discounts',
  as: 'd',
  rows: Discount,
  order: newestFirst('d.id'),
};

/** The organization's contract discounts. */
@Injectable()
export class DiscountService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
    private readonly audit: AuditLog,
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the discount for a provider, model and start, compared without case. Changes the existing entry, or adds one.
   * If an equal entry exists, writes neither a version nor an audit entry. On this replica, the discount applies to
   * every event that is priced after the call returns.
   * @throws TooManyDiscountsError if the organization already has 1,000
   */
  async put(actor: Actor, terms: ContractDiscount): Promise<Discount> {
    const discount = await this.database.transaction(actor.orgId, async em => {
      const same = await findSame(em, actor.orgId, terms);
      if (same?.says(terms)) return same;
      // Incrementing the mark first makes changes of one organization's prices wait for each other. Another change may
      // have been committed during the wait, so the entry is read again.
      await this.changes.mark(em, actor.orgId, PRICES_TOPIC);
      const known = await findSame(em, actor.orgId, terms);
      const before = known?.audited() ?? null;
      const now = this.clock.now();
      const put = known ?? Discount.create(actor.orgId, newId(now), terms, now);
      if (known) known.agree(terms, now);
      else await this.add(em, put);
      await this.remember(em, actor, put.id, before, put.audited());
      return put;
    });
    await this.changes.refresh(actor.orgId);
    return discount;
  }

  /**
   * Returns one page, newest first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: PageQuery, show: (discount: Discount) => Item): Promise<Page<Item>> {
    return this.lists.page(orgId, query, DISCOUNTS, show);
  }

  /** @throws DiscountNotFoundError */
  async get(orgId: string, id: string): Promise<Discount> {
    const found = await this.database.transaction(orgId, em => em.findOne(Discount, { orgId, id }));
    if (!found) throw new DiscountNotFoundError(id);
    return found;
  }

  /** Removes a discount; later events are priced without it. @throws DiscountNotFoundError */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(actor.orgId, async em => {
      await this.changes.mark(em, actor.orgId, PRICES_TOPIC);
      const discount = await em.findOne(Discount, { orgId: actor.orgId, id });
      if (!discount) throw new DiscountNotFoundError(id);
      await this.remember(em, actor, id, discount.audited(), null);
      em.remove(discount);
    });
    await this.changes.refresh(actor.orgId);
  }

  private async add(em: EntityManager, discount: Discount): Promise<void> {
    if ((await em.count(Discount, { orgId: discount.orgId })) >= DISCOUNTS_MAX) throw new TooManyDiscountsError();
    em.persist(discount);
  }

  private remember(
    em: EntityManager,
    actor: Actor,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    const verb = after === null ? 'deleted' : before === null ? 'created' : 'updated';
    return this.audit.append(em, actor, {
      action: `discount.${verb}`,
      resourceType: 'discount',
      resourceId,
      before,
      after,
    });
  }
}

const SAME = `
select id from ${SCHEMA}.discounts
where org_id = $1 and lower(provider) is not distinct from lower($2::text) and lower(model) = lower($3)
  and effective_from is not distinct from $4::timestamptz`;

async function findSame(em: EntityManager, orgId: string, terms: ContractDiscount): Promise<Discount | null> {
  const parameters = [orgId, terms.provider, terms.model, terms.effectiveFrom?.toISOString() ?? null];
  const [row] = await sqlOf(em).query<{ id: string }>(SAME, parameters);
  // Refreshes the entity, because another transaction may have changed the row since this transaction last read it.
  return row ? em.findOne(Discount, { orgId, id: row.id }, { refresh: true }) : null;
}
