import { ApiSchema } from '@nestjs/swagger';
import { CheckedField, ChoiceField, IgnoresReadOnly, InstantField, TextField, type FieldOptions } from '#access';
import { BadRequestError, isStorableText, REGION_MAX_LENGTH, SERVICE_TIERS, type ServiceTier } from '#core';
import type { PriceTerms } from '../price-list/price-record.entity.js';
import { MAX_PRICE_PER_MILLION_USD, normalLabel, picoToDecimalString, usdToPico } from '../prices/index.js';
import { AliasTargetDto, PRICE_NAME_MAX as NAME } from './price-response.dto.js';

const MAX_PICODOLLARS = BigInt(MAX_PRICE_PER_MILLION_USD) * 10n ** 12n;

/** An agreed price, or a custom name for a catalogue model. Provider, model, service_tier, region and effective_from identify the entry. */
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

  @ChoiceField(SERVICE_TIERS, {
    optional: true,
    default: 'standard',
    description: 'Tier that the price is for. Usage of a tier without a price is unpriced.',
  })
  service_tier?: ServiceTier;

  @TextField({
    max: REGION_MAX_LENGTH,
    pattern: /\S/,
    hint: 'must not be blank',
    optional: true,
    nullable: true,
    example: 'eu-west-1',
    description: "Provider's region that the price is for, compared without case. Null or missing: every region.",
  })
  region?: string | null;

  @InstantField({
    optional: true,
    nullable: true,
    description: 'Time from which the price applies. Null or missing: always.',
    example: '2026-11-01T00:00:00Z',
  })
  effective_from?: string | null;
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
    const stray = [...PRICE_FIELDS, 'effective_from' as const, 'region' as const].find(
      field => (body[field] ?? null) !== null,
    );
    if ((body.service_tier ?? 'standard') !== 'standard') throw aliasHasTier();
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
    serviceTier: body.service_tier ?? 'standard',
    region: body.region?.trim() ?? null,
    effectiveFrom,
  };
}

function aliasHasTier(): BadRequestError {
  return BadRequestError.field('service_tier', 'cannot be combined with alias, which is for all tiers');
}

function isSameModel({ provider, model }: { provider: string | null; model: string }, alias: AliasTargetDto): boolean {
  // The entry may apply to any provider, but its alias names a model of one provider.
  if (provider === null || normalLabel(provider) !== normalLabel(alias.provider)) return false;
  return model.toLowerCase() === alias.model.trim().toLowerCase();
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
