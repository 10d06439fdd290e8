import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CheckedField, IgnoresReadOnly, InstantField, presenterOf, TextField, type FieldOptions } from '#access';
import { BadRequestError, isStorableText } from '#core';
import type { PriceRecord, PriceTerms } from '../price-list/price-record.entity.js';
import { MAX_PRICE_PER_MILLION_USD, normalLabel, picoToDecimalString, usdToPico } from '../prices/index.js';

const NAME = 255;
const MAX_PICODOLLARS = BigInt(MAX_PRICE_PER_MILLION_USD) * 10n ** 12n;

/** A model of the catalogue. */
@ApiSchema({ name: 'GovernanceAliasTargetDto' })
export class AliasTargetDto {
  @ApiProperty({ maxLength: NAME, example: 'openai' })
  provider!: string;

  @ApiProperty({ maxLength: NAME, example: 'gpt-4o' })
  model!: string;
}

/** An agreed price, or a custom name for a catalogue model. Provider, model and effective_from identify the entry. */
@IgnoresReadOnly('id', 'org_id', 'version', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernancePutPriceDto' })
export class PutPriceDto {
  @TextField({
    max: NAME,
    pattern: /\S/,
    hint: 'must not be blank',
    optional: true,
    nullable: true,
    example: 'openai',
    description: 'Provider as events name it, compared without case. Null or missing: every provider.',
  })
  provider?: string | null;

  @TextField({
    max: NAME,
    pattern: /\S/,
    hint: 'must not be blank',
    example: 'gpt-4o*',
    description: 'Model name or a pattern with `*`, compared without case.',
  })
  model!: string;

  @CheckedField(
    {
      optional: true,
      nullable: true,
      description: 'Price the model like this catalogue model, instead of stating prices.',
    },
    { type: () => AliasTargetDto },
    aliasDefect,
  )
  alias?: AliasTargetDto | null;

  @PriceField({ description: 'US dollars per million input tokens. Required without alias.', example: 2.5 })
  input_per_million_usd?: number | string | null;

  @PriceField({ description: 'US dollars per million output tokens. Required without alias.', example: 10 })
  output_per_million_usd?: number | string | null;

  @PriceField({ description: 'Default: the input price.', example: 1.25 })
  cache_read_per_million_usd?: number | string | null;

  @PriceField({ description: 'Default: the input price.', example: 2.5 })
  cache_write_per_million_usd?: number | string | null;

  @PriceField({ description: 'Default: the output price.', example: 10 })
  reasoning_per_million_usd?: number | string | null;

  @InstantField({
    optional: true,
    nullable: true,
    description: 'Time from which the price applies. Null or missing: always.',
    example: '2026-11-01T00:00:00Z',
  })
  effective_from?: string | null;
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

  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-01T00:00:00.000Z' })
  effective_from!: string | null;

  @ApiProperty({ type: 'integer', description: 'Grows with each change.', example: 1 })
  version!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-02T08:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-02T08:00:00.000Z' })
  updated_at!: string;
}

const PRICE_FIELDS = [
  'input_per_million_usd',
  'output_per_million_usd',
  'cache_read_per_million_usd',
  'cache_write_per_million_usd',
  'reasoning_per_million_usd',
] as const;

/**
 * The terms in a request body.
 * @throws BadRequestError if it combines an alias with prices, or lacks a price
 */
export function termsOf(body: PutPriceDto): PriceTerms {
  const provider = body.provider?.trim() ?? null;
  const model = body.model.trim();
  if (body.alias) {
    const stray = [...PRICE_FIELDS, 'effective_from' as const].find(field => (body[field] ?? null) !== null);
    if (stray) throw BadRequestError.field(stray, 'cannot be combined with alias; state either an alias or prices');
    if (isSameModel({ provider, model }, body.alias)) {
      throw BadRequestError.field('alias', 'is the model itself; name another model, or state prices');
    }
    return {
      kind: 'alias',
      provider,
      model,
      targetProvider: body.alias.provider.trim(),
      targetModel: body.alias.model.trim(),
    };
  }
  const [input, output, cacheRead, cacheWrite, reasoning] = PRICE_FIELDS.map(field => decimal(body[field]));
  if (!input) throw BadRequestError.field('input_per_million_usd', 'is required, unless alias names a catalogue model');
  if (!output)
    throw BadRequestError.field('output_per_million_usd', 'is required, unless alias names a catalogue model');
  const effectiveFrom = body.effective_from ? new Date(body.effective_from) : null;
  return {
    kind: 'price',
    provider,
    model,
    input,
    output,
    cacheRead: cacheRead ?? null,
    cacheWrite: cacheWrite ?? null,
    reasoning: reasoning ?? null,
    effectiveFrom,
  };
}

function isSameModel({ provider, model }: { provider: string | null; model: string }, alias: AliasTargetDto): boolean {
  // The entry may apply to any provider, while its alias names a model of one provider.
  if (provider === null || normalLabel(provider) !== normalLabel(alias.provider)) return false;
  return model.toLowerCase() === alias.model.trim().toLowerCase();
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

function PriceField(options: FieldOptions): PropertyDecorator {
  return CheckedField(
    { ...options, optional: true, nullable: true },
    { oneOf: [{ type: 'number', minimum: 0, maximum: MAX_PRICE_PER_MILLION_USD }, { type: 'string' }] },
    value => {
      const picodollars = typeof value === 'number' || typeof value === 'string' ? usdToPico(value) : undefined;
      if (picodollars !== undefined && picodollars <= MAX_PICODOLLARS) return undefined;
      return `must be US dollars per million tokens from 0 to ${MAX_PRICE_PER_MILLION_USD}, with at most 12 decimals`;
    },
  );
}

function decimal(usd: number | string | null | undefined): string | undefined {
  const picodollars = usd === null || usd === undefined ? undefined : usdToPico(usd);
  return picodollars === undefined ? undefined : picoToDecimalString(picodollars);
}

function aliasDefect(value: unknown): string | undefined {
  const isName = (text: unknown) =>
    typeof text === 'string' && text.trim() !== '' && text.length <= NAME && isStorableText(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 2) {
    if (isName(Reflect.get(value, 'provider')) && isName(Reflect.get(value, 'model'))) return undefined;
  }
  return 'must be an object with exactly provider and model, names of the catalogue';
}
