import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';

/** Currency, day and value of an exchange rate. */
export interface RateTerms {
  /** ISO 4217 code. */
  currency: string;
  /** The first day of the rate: `YYYY-MM-DD`. It applies until the next rate begins. */
  day: string;
  /** Units of the currency per US dollar: decimal text. */
  rate: string;
}

/** An organization's exchange rate of a currency on a day. */
@Entity({ tableName: 'exchange_rates', schema: 'governance' })
export class ExchangeRate implements RateTerms {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  @Property({ type: 'text' })
  currency!: string;

  @Property({ type: 'date' })
  day!: string;

  @Property({ type: 'decimal' })
  rate!: string;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** A new rate. */
  static create(orgId: string, id: string, { currency, day, rate }: RateTerms, now: Date): ExchangeRate {
    return Object.assign(new ExchangeRate(), { orgId, id, currency, day, rate, createdAt: now, updatedAt: now });
  }

  /** As the audit log keeps it. */
  audited(): JsonObject {
    return { currency: this.currency, date: this.day, rate: this.rate };
  }
}
