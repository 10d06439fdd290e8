import { PrimaryKeyProp } from '@mikro-orm/core';
import { Entity, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import type { JsonObject } from '#core';
import { percentParts, type ContractDiscount } from '../prices/index.js';

/** A contract discount of an organization: a percentage off the prices of some models, within a time range. */
@Entity({ tableName: 'discounts', schema: 'governance' })
export class Discount implements ContractDiscount {
  [PrimaryKeyProp]?: ['orgId', 'id'];

  @PrimaryKey({ type: 'uuid' })
  orgId!: string;

  @PrimaryKey({ type: 'uuid' })
  id!: string;

  /** Null for every provider. */
  @Property({ type: 'text', nullable: true })
  provider: string | null = null;

  /** Model name, or a pattern with `*`. */
  @Property({ type: 'text' })
  model!: string;

  /** Decimal text from 0 to 100. */
  @Property({ type: 'decimal' })
  percentOff!: string;

  /** Null: the discount has no start. */
  @Property({ type: 'timestamptz', nullable: true })
  effectiveFrom: Date | null = null;

  /** Exclusive. Null: the discount has no end. */
  @Property({ type: 'timestamptz', nullable: true })
  effectiveUntil: Date | null = null;

  /** Increases with each change. */
  @Property({ type: 'integer' })
  version!: number;

  @Property({ type: 'timestamptz' })
  createdAt!: Date;

  @Property({ type: 'timestamptz' })
  updatedAt!: Date;

  /** A new discount. */
  static create(orgId: string, id: string, terms: ContractDiscount, now: Date): Discount {
    const discount = new Discount();
    Object.assign(discount, { orgId, id, version: 0, createdAt: now });
    discount.agree(terms, now);
    return discount;
  }

  /** Replaces the terms. Provider, model and start stay the same. */
  agree({ provider, model, percentOff, effectiveFrom, effectiveUntil }: ContractDiscount, now: Date): void {
    Object.assign(this, { provider, model, percentOff, effectiveFrom, effectiveUntil });
    this.version += 1;
    this.updatedAt = now;
  }

  /** Whether the discount already has these terms. Texts are compared exactly, percentages as numbers. */
  says(terms: ContractDiscount): boolean {
    return (
      this.provider === terms.provider &&
      this.model === terms.model &&
      percentParts(this.percentOff) === percentParts(terms.percentOff) &&
      this.effectiveFrom?.getTime() === terms.effectiveFrom?.getTime() &&
      this.effectiveUntil?.getTime() === terms.effectiveUntil?.getTime()
    );
  }

  /** As the audit log keeps it. */
  audited(): JsonObject {
    return {
      provider: this.provider,
      model: this.model,
      percent_off: this.percentOff,
      effective_from: this.effectiveFrom?.toISOString() ?? null,
      effective_until: this.effectiveUntil?.toISOString() ?? null,
      version: this.version,
    };
  }
}
