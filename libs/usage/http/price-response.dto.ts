import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { presenterOf } from '#access';
import { SERVICE_TIERS, type ServiceTier } from '#core';
import type { PriceRecord } from '../price-list/price-record.entity.js';

/** Most characters of a provider or a model. */
export const PRICE_NAME_MAX = 255;

/** A model of the catalogue. */
@ApiSchema({ name: 'GovernanceAliasTargetDto' })
export class AliasTargetDto {
  @ApiProperty({ maxLength: PRICE_NAME_MAX, example: 'openai' })
  provider!: string;

  @ApiProperty({ maxLength: PRICE_NAME_MAX, example: 'gpt-4o' })
  model!: string;
}

/** An entry of the organization's price list. */
@ApiSchema({ name: 'GovernancePriceResponseDto' })
export class PriceResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c60' })
  id!: string;

  @ApiProperty({ format: 'uuid', example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' })
  org_id!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null: every provider.', example: 'openai' })
  provider!: string | null;

  @ApiProperty({ example: 'gpt-4o*' })
  model!: string;

  @ApiProperty({ type: () => AliasTargetDto, nullable: true, example: null })
  alias!: AliasTargetDto | null;

  @ApiProperty({ type: Number, nullable: true, example: 2.5 })
  input_per_million_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 10 })
  output_per_million_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: 1.25 })
  cache_read_per_million_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null })
  cache_write_per_million_usd!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null })
  reasoning_per_million_usd!: number | null;

  @ApiProperty({
    enum: SERVICE_TIERS,
    description: 'Tier that the price is for; aliases are for all tiers.',
    example: 'standard',
  })
  service_tier!: ServiceTier;

  @ApiProperty({ type: String, nullable: true, description: 'Null: every region.', example: null })
  region!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-01T00:00:00.000Z' })
  effective_from!: string | null;

  @ApiProperty({ type: 'integer', description: 'Grows with each change.', example: 1 })
  version!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-02T08:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-02T08:00:00.000Z' })
  updated_at!: string;
}

/** A price list entry on the wire. */
export const presentPrice = presenterOf(PriceResponseDto, (price: PriceRecord) => ({
  alias: aliasOf(price),
  input_per_million_usd: numberOf(price.inputPerMillionUsd),
  output_per_million_usd: numberOf(price.outputPerMillionUsd),
  cache_read_per_million_usd: numberOf(price.cacheReadPerMillionUsd),
  cache_write_per_million_usd: numberOf(price.cacheWritePerMillionUsd),
  reasoning_per_million_usd: numberOf(price.reasoningPerMillionUsd),
}));

function aliasOf({ targetProvider: provider, targetModel: model }: PriceRecord): AliasTargetDto | null {
  return provider === null || model === null ? null : { provider, model };
}

function numberOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
