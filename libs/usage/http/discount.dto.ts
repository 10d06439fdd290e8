import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, dtoOf, f, IgnoresReadOnly, InstantField, presenterOf, TextField } from '#access';
import { BadRequestError } from '#core';
import type { Discount } from '../price-list/discount.entity.js';
import { PERCENT_DECIMALS, percentParts, type ContractDiscount } from '../prices/index.js';
import { PRICE_NAME_MAX } from './price-response.dto.js';

const PERCENT_MESSAGE = `must be a percentage from 0 to 100, with at most ${PERCENT_DECIMALS} decimals`;

/** A contract discount in a request body. Provider, model and effective_from identify the entry. */
@IgnoresReadOnly('id', 'org_id', 'version', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernancePutDiscountDto' })
export class PutDiscountDto {
  @TextField({
    max: PRICE_NAME_MAX,
    pattern: /\S/,
    hint: 'must not be blank',
    optional: true,
    nullable: true,
    example: 'openai',
    description: 'Provider as events name it, compared without case. Null or missing: every provider.',
  })
  provider?: string | null;

  @TextField({
    max: PRICE_NAME_MAX,
    pattern: /\S/,
    hint: 'must not be blank',
    optional: true,
    default: '*',
    example: 'gpt-4o*',
    description: 'Model name or a pattern with `*`, compared without case.',
  })
  model?: string;

  @CheckedField(
    {
      description: 'Percent off the price, from 0 to 100. 0 exempts models from a less specific discount.',
      example: '12.5',
    },
    { oneOf: [{ type: 'number', minimum: 0, maximum: 100 }, { type: 'string' }] },
    value => {
      const parts = typeof value === 'number' || typeof value === 'string' ? percentParts(value) : undefined;
      return parts === undefined ? PERCENT_MESSAGE : undefined;
    },
  )
  percent_off!: number | string;

  @InstantField({
    optional: true,
    nullable: true,
    description: 'Time from which the discount applies. Null or missing: always.',
    example: '2026-11-01T00:00:00Z',
  })
  effective_from?: string | null;

  @InstantField({
    optional: true,
    nullable: true,
    description: 'Time at which the discount ends, exclusive. Null or missing: never.',
    example: '2027-11-01T00:00:00Z',
  })
  effective_until?: string | null;
}

/** A contract discount of the organization. */
@ApiSchema({ name: 'GovernanceDiscountResponseDto' })
export class DiscountResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c61'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  provider: f.text('openai', 'Null: every provider.').nullable(),
  model: f.text('gpt-4o*'),
  percent_off: f.decimal(12.5),
  effective_from: f.instant('2026-11-01T00:00:00.000Z').nullable(),
  effective_until: f.instant('2027-11-01T00:00:00.000Z', 'Exclusive.').nullable(),
  version: f.integer(1, 'Grows with each change.'),
  created_at: f.instant('2026-11-02T08:00:00.000Z'),
  updated_at: f.instant('2026-11-02T08:00:00.000Z'),
}) {}

/** The discount in a request body. @throws BadRequestError if it ends before it begins */
export function discountOf(body: PutDiscountDto): ContractDiscount {
  const [from, until] = [body.effective_from, body.effective_until].map(at => (at ? new Date(at) : null));
  const [effectiveFrom, effectiveUntil] = [from ?? null, until ?? null];
  if (effectiveFrom && effectiveUntil && effectiveUntil <= effectiveFrom) {
    throw BadRequestError.field('effective_until', 'must be later than effective_from');
  }
  const parts = (percentParts(body.percent_off) ?? 0n).toString().padStart(PERCENT_DECIMALS + 1, '0');
  return {
    provider: body.provider?.trim() ?? null,
    model: body.model?.trim() ?? '*',
    percentOff: `${parts.slice(0, -PERCENT_DECIMALS)}.${parts.slice(-PERCENT_DECIMALS)}`,
    effectiveFrom,
    effectiveUntil,
  };
}

/** A discount on the wire. */
export const presentDiscount = presenterOf(DiscountResponseDto, (discount: Discount) => ({
  percent_off: Number(discount.percentOff),
}));
