import { Injectable } from '@nestjs/common';
import { readInput, type Actor } from '#access';
import { ConfigurationKind, ConfigurationKinds, type ConfigurationObject, type WantedObject } from '#configuration';
import type { JsonObject } from '#core';
import { OrgDatabase } from '#database';
import { discountOf, PutDiscountDto } from '../http/discount.dto.js';
import { Discount } from '../price-list/discount.entity.js';
import { DiscountService } from '../price-list/discount.service.js';
import { percentParts } from '../prices/index.js';

/** Contract discounts in configuration files. Provider, model and start identify a discount. */
@Injectable()
export class DiscountConfiguration extends ConfigurationKind {
  override readonly kind = 'discounts';
  override readonly rank = 25;
  override readonly reads = ['prices:read'] as const;
  override readonly writes = 'prices:write';

  constructor(
    kinds: ConfigurationKinds,
    private readonly database: OrgDatabase,
    private readonly discounts: DiscountService,
  ) {
    super(kinds);
  }

  override async list(orgId: string): Promise<ConfigurationObject[]> {
    const discounts = await this.database.snapshot(orgId, em => em.find(Discount, { orgId }));
    return discounts.map(discount => ({ id: discount.id, name: nameOf(discount), fields: fieldsOf(discount) }));
  }

  override async read(orgId: string, entry: unknown): Promise<WantedObject> {
    const discount = Discount.create(orgId, '', discountOf(readInput(PutDiscountDto, entry, 'body')), new Date(0));
    return { name: nameOf(discount), fields: fieldsOf(discount) };
  }

  override async create(actor: Actor, { fields }: WantedObject): Promise<undefined> {
    await this.discounts.put(actor, discountOf(readInput(PutDiscountDto, fields, 'body')));
  }

  override async update(actor: Actor, _id: string, wanted: WantedObject): Promise<void> {
    await this.create(actor, wanted);
  }

  override remove(actor: Actor, id: string): Promise<void> {
    return this.discounts.remove(actor, id);
  }
}

/** Compared without case, as in the price list. */
function nameOf({ provider, model, effectiveFrom }: Discount): string {
  const from = effectiveFrom === null ? '' : ` from ${effectiveFrom.toISOString()}`;
  return `discount of ${(provider ?? '*').toLowerCase()} ${model.toLowerCase()}${from}`;
}

function fieldsOf({ provider, model, percentOff, effectiveFrom, effectiveUntil }: Discount): JsonObject {
  const number = Number(percentOff);
  return {
    provider,
    model,
    // A percentage: a number if it is exact, otherwise text.
    percent_off: percentParts(number) === percentParts(percentOff) ? number : percentOff,
    effective_from: effectiveFrom?.toISOString() ?? null,
    effective_until: effectiveUntil?.toISOString() ?? null,
  };
}
