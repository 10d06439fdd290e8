import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AuditLog, type Actor } from '#access';
import { Clock, ConflictError, newId, NotFoundError, type JsonObject, type Page, type PageQuery } from '#core';
import { KeysetLists, newestFirst, OrgDatabase, sql, sqlOf, type TableList } from '#database';
import { ExchangeRate, type RateTerms } from './exchange-rate.entity.js';

/**
 * Maximum number of exchange rates of one organization. It is enough for the daily rates of thirty currencies over nine
 * years.
 */
export const EXCHANGE_RATES_MAX = 100_000;

/** The organization has no exchange rate with this id. */
export class ExchangeRateNotFoundError extends NotFoundError {
  constructor(id: string) {
    super(`There is no exchange rate ${id} in your organization.`);
  }
}

/** The organization has the maximum number of exchange rates. */
export class TooManyExchangeRatesError extends ConflictError {
  constructor() {
    super(`Your organization has ${EXCHANGE_RATES_MAX} exchange rates, the maximum; delete old ones.`);
  }
}

/** Filters of a list of exchange rates. */
export interface RateListQuery extends PageQuery {
  currency?: string | undefined;
  /** Selects only the rate of each currency that is in force on this day. */
  day?: string | undefined;
}

const LOCK = `select pg_advisory_xact_lock(hashtextextended('governance.exchange_rates:' || $1, 0))::text`;

/** Exchange rates of the organization, by currency and day. */
@Injectable()
export class ExchangeRateService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly lists: KeysetLists,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets the rate of a currency on a day: changes the existing rate, or adds one. Writes nothing if the rate is already
   * stored. Reports use the rate at once, also for past usage.
   * @throws TooManyExchangeRatesError if the organization already has 100,000
   */
  put(actor: Actor, terms: RateTerms): Promise<ExchangeRate> {
    const { orgId } = actor;
    return this.database.transaction(orgId, async em => {
      // Serializes changes of one organization, so that two concurrent calls do not create two rows for one day.
      await sqlOf(em).query(LOCK, [orgId]);
      const { currency, day } = terms;
      const now = this.clock.now();
      const known = await em.findOne(ExchangeRate, { orgId, currency, day });
      const before = known?.audited() ?? null;
      if (known && sameDecimal(known.rate, terms.rate)) return known;
      const rate = known ?? ExchangeRate.create(orgId, newId(now), terms, now);
      if (known) Object.assign(known, { rate: terms.rate, updatedAt: now });
      else await this.add(em, rate);
      await this.remember(em, actor, rate.id, before, rate.audited());
      return rate;
    });
  }

  /** @throws ExchangeRateNotFoundError */
  async get(orgId: string, id: string): Promise<ExchangeRate> {
    const found = await this.database.transaction(orgId, em => em.findOne(ExchangeRate, { orgId, id }));
    if (!found) throw new ExchangeRateNotFoundError(id);
    return found;
  }

  /**
   * One page, newest rate first.
   * @throws BadRequestError if the cursor is not valid here
   */
  list<Item>(orgId: string, query: RateListQuery, show: (rate: ExchangeRate) => Item): Promise<Page<Item>> {
    const { currency = null, day = null } = query;
    const list: TableList<ExchangeRate> = {
      name: 'exchange-rates',
      filters: { currency, day },
      table: 'exchange_rates',
      as: 'r',
      where: [...(currency === null ? [] : [sql`r.currency = ${currency}`]), ...(day === null ? [] : [inForceOn(day)])],
      rows: ExchangeRate,
      order: newestFirst('r.id'),
    };
    return this.lists.page(orgId, query, list, show);
  }

  /** @throws ExchangeRateNotFoundError */
  async remove(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(actor.orgId, async em => {
      const rate = await em.findOne(ExchangeRate, { orgId: actor.orgId, id });
      if (!rate) throw new ExchangeRateNotFoundError(id);
      await this.remember(em, actor, id, rate.audited(), null);
      em.remove(rate);
    });
  }

  private async add(em: EntityManager, rate: ExchangeRate): Promise<void> {
    if ((await em.count(ExchangeRate, { orgId: rate.orgId })) >= EXCHANGE_RATES_MAX)
      throw new TooManyExchangeRatesError();
    em.persist(rate);
  }

  private remember(
    em: EntityManager,
    actor: Actor,
    resourceId: string,
    before: JsonObject | null,
    after: JsonObject | null,
  ): Promise<void> {
    const verb = after === null ? 'deleted' : before === null ? 'created' : 'updated';
    const action = `exchange_rate.${verb}`;
    return this.audit.append(em, actor, { action, resourceType: 'exchange_rate', resourceId, before, after });
  }
}

function inForceOn(day: string) {
  return sql`r.day = (select max(x.day) from governance.exchange_rates x
    where x.org_id = r.org_id and x.currency = r.currency and x.day <= ${day}::date)`;
}

/** Whether two decimal texts are the same number, regardless of trailing zeros. */
function sameDecimal(one: string, other: string): boolean {
  const plain = (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  return plain(one) === plain(other);
}
