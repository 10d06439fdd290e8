import { calcPrice, type ModelInfo, type Provider } from '@pydantic/genai-prices';
import type { PricedTokens, PriceQuote, PriceRequest } from '#core';
import { BoundedCache, modelKey } from './bounded-cache.js';
import { CatalogPriceTable, type CatalogRates } from './catalog-price-table.js';
import { usdToPico } from './money.js';
import { findCatalogProvider } from './provider-labels.js';
import { ceilingOf, costOf } from './rate-card.js';
import { RatedCatalog, type EstimatedRequest } from './rated-catalog.js';

/** Version of the installed price catalogue; a test compares it with the package. */
export const GENAI_PRICES_VERSION = '0.1.8';

interface Entry {
  name: string;
  model: ModelInfo;
  table: CatalogPriceTable;
  /**
   * A provider that has only this model, so that the package does not have to search for the model when it computes a
   * price.
   */
  alone: Provider;
}

const CACHED_MODELS = 4_096;
const UNKNOWN = 'unknown';

/**
 * Prices from the catalogue of the package `@pydantic/genai-prices`, offline.
 *
 * Computes the price of token classes from the catalogue's rates with exact arithmetic. This is many times as fast as
 * the package, and free of rounding errors. If a request was also billed by other units (audio, images, searches), the
 * package computes the price in floating point. Its relative error is below 10⁻¹⁴, one picodollar in 100 dollars. The
 * catalogue contains only standard prices: a request of another tier is unpriced. It contains no regional prices: a
 * model has the same price in every region.
 */
export class GenaiPricesCatalog extends RatedCatalog {
  private readonly entries = new BoundedCache<Entry | typeof UNKNOWN>(CACHED_MODELS);

  quote(request: PriceRequest): PriceQuote | null {
    if (!isStandard(request)) return null;
    const entry = this.find(request.provider, request.model);
    if (!entry) return null;
    const rates = entry.table.at(request.at);
    const { tokens } = request;
    const billed =
      rates.hasOtherUnits && tokens.units ? priceWithUnits(entry, request.at, tokens, tokens.units) : undefined;
    if (!billed && !covers(rates, tokens)) return null;
    return { picodollars: billed ?? costOf(rates, tokens), source: 'genai-prices', version: GENAI_PRICES_VERSION };
  }

  /** See {@link RatedCatalog}. Undefined for a subclass that overrides the quotes. */
  ceiling(request: EstimatedRequest): bigint | undefined {
    // If a subclass overrides the method `quote`, the cost of a request does not depend on these rates alone.
    if (this.quote !== GenaiPricesCatalog.prototype.quote) return undefined;
    const { provider, model, at, inputTokens, outputTokens } = request;
    if (!isStandard(request)) return 0n;
    const rates = this.find(provider, model)?.table.at(at);
    if (!rates || !covers(rates, { input_tokens: inputTokens, output_tokens: outputTokens })) return 0n;
    return ceilingOf(rates, inputTokens, outputTokens);
  }

  identify(provider: string, model: string): string | null {
    return this.find(provider, model)?.name ?? null;
  }

  private find(provider: string, model: string): Entry | undefined {
    const entry = this.entries.get(modelKey(provider, model), () => search(provider, model) ?? UNKNOWN);
    return entry === UNKNOWN ? undefined : entry;
  }
}

function isStandard({ serviceTier = 'standard' }: Pick<PriceRequest, 'serviceTier'>): boolean {
  return serviceTier === 'standard';
}

/** False if the request has tokens, but the catalogue prices the model only by another unit, such as hours. */
function covers(rates: CatalogRates, tokens: PricedTokens): boolean {
  if (rates.isFree || rates.perRequest > 0n) return true;
  return (
    (rates.input !== undefined && (tokens.input_tokens > 0 || tokens.output_tokens === 0)) ||
    (rates.output !== undefined && tokens.output_tokens > 0)
  );
}

function search(providerLabel: string, modelName: string): Entry | undefined {
  const slash = modelName.indexOf('/');
  const prefix = modelName.slice(0, Math.max(slash, 0));
  // LiteLLM puts the provider into the name of the model: `azure/gpt-4o`.
  const isGateway = providerLabel.trim().toLowerCase() === 'litellm';
  const provider = findCatalogProvider(isGateway && prefix ? prefix : providerLabel);
  if (!provider) return undefined;
  const prefixed = prefix !== '' && findCatalogProvider(prefix)?.id === provider.id;
  const names = [modelName, ...(prefixed ? [modelName.slice(slash + 1)] : []), ...resourceName(modelName)];
  const model = names.map(name => calcPrice({}, name, { providerId: provider.id })?.model).find(found => found);
  if (!model) return undefined;
  const alone = { ...provider, models: [{ ...model, match: { equals: model.id } }] };
  return { name: `${provider.id}/${model.id}`, model, table: new CatalogPriceTable(model), alone };
}

/** Google names a model as a resource: `models/gemini-2.5-pro`, `projects/…/publishers/google/models/gemini-2.5-pro`. */
function resourceName(modelName: string): string[] {
  const [, name] = /^(?:.+\/)?models\/([^/]+)$/.exec(modelName) ?? [];
  return name === undefined ? [] : [name];
}

/**
 * The price that the package computes; undefined if the package refuses the units because they contradict each other.
 */
function priceWithUnits(
  entry: Entry,
  at: Date,
  tokens: PricedTokens,
  units: Readonly<Record<string, number>>,
): bigint | undefined {
  const usage = {
    ...units,
    input_tokens: tokens.input_tokens,
    output_tokens: tokens.output_tokens,
    cache_read_tokens: tokens.cache_read_tokens ?? 0,
    cache_write_tokens: tokens.cache_write_tokens ?? 0,
    output_reasoning_tokens: tokens.reasoning_tokens ?? 0,
  };
  try {
    const price = calcPrice(usage, entry.model.id, { provider: entry.alone, timestamp: at });
    return price ? usdToPico(price.total_price) : undefined;
  } catch {
    return undefined;
  }
}
