import { ApiSchema } from '@nestjs/swagger';
import { presenterOf, f, dtoOf } from '#access';
import { SERVICE_TIERS } from '#core';
import type { PriceRecord } from '../price-list/price-record.entity.js';

/** Maximum length of a provider or a model, in characters. */
export const PRICE_NAME_MAX = 255;

/** A model of the catalogue. */
@ApiSchema({ name: 'GovernanceAliasTargetDto' })
export class AliasTargetDto extends dtoOf({
  provider: f.text('openai', undefined, { maxLength: PRICE_NAME_MAX }),
  model: f.text('gpt-4o', undefined, { maxLength: PRICE_NAME_MAX }),
}) {}

/** An entry of the organization's price list. */
@ApiSchema({ name: 'GovernancePriceResponseDto' })
export class PriceResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-8d10-7c3e-9a41-3f5d8e2b7c60'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  provider: f.text('openai', 'Null: every provider.').nullable(),
  model: f.text('gpt-4o*'),
  alias: f.of<AliasTargetDto>({ type: () => AliasTargetDto, example: null }).nullable(),
  input_per_million_usd: f.decimal(2.5).nullable(),
  output_per_million_usd: f.decimal(10).nullable(),
  cache_read_per_million_usd: f.decimal(1.25).nullable(),
  cache_write_per_million_usd: f.decimal(null).nullable(),
  reasoning_per_million_usd: f.decimal(null).nullable(),
  service_tier: f.choice(SERVICE_TIERS, 'standard', 'Tier that the price is for; aliases are for all tiers.'),
  region: f.text(null, 'Null: every region.').nullable(),
  effective_from: f.instant('2026-11-01T00:00:00.000Z').nullable(),
  version: f.integer(1, 'Grows with each change.'),
  created_at: f.instant('2026-11-02T08:00:00.000Z'),
  updated_at: f.instant('2026-11-02T08:00:00.000Z'),
}) {}

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
