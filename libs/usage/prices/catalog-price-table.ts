import type { ConditionalPrice, ModelInfo, ModelPrice } from '@pydantic/genai-prices';
import { ratePerMillion, type Rate, type RateCard } from './rate-card.js';

/** A rate card, with what the catalogue's entry contains in addition. */
export interface CatalogRates extends RateCard {
  /**
   * Whether the entry has prices for other units than the token classes of a rate card: audio, images, searches, hours.
   */
  hasOtherUnits: boolean;
  /** Whether the entry is empty. An empty entry means that the model is free. */
  isFree: boolean;
}

interface DatedRates {
  appliesAt(at: Date): boolean;
  rates: CatalogRates;
}

const CLASS_BY_PRICE_KEY = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  output_reasoning_mtok: 'reasoning',
} as const;
/**
 * Price key of writes to a cache with a lifetime of one hour, usually at twice the price of plain input. Usage reports
 * these tokens as units and not as a token class.
 */
const LONG_CACHE_KEY = 'cache_write_1h_mtok';
const REQUEST_KEY = 'requests_kcount';
const KNOWN_KEYS = new Set([...Object.keys(CLASS_BY_PRICE_KEY), REQUEST_KEY]);

/** The prices of one catalogue model over time, prepared for exact arithmetic. */
export class CatalogPriceTable {
  private readonly dated: readonly DatedRates[];
  private readonly otherwise: CatalogRates;

  constructor(model: ModelInfo) {
    const entries: ConditionalPrice[] = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
    const dated = entries.map(entry => ({ appliesAt: conditionOf(entry), rates: compile(entry.prices) }));
    this.otherwise = dated[0]?.rates ?? compile({});
    // The catalogue's rule: the last entry whose condition holds applies, otherwise the first entry.
    this.dated = dated.toReversed();
  }

  /** The rates in force at an instant. */
  at(instant: Date): CatalogRates {
    if (this.dated.length === 1) return this.otherwise;
    return this.dated.find(entry => entry.appliesAt(instant))?.rates ?? this.otherwise;
  }
}

function conditionOf({ constraint }: ConditionalPrice): (at: Date) => boolean {
  if (!constraint) return () => true;
  if (constraint.type === 'start_date') {
    const start = Date.parse(constraint.start_date);
    return at => at.getTime() >= start;
  }
  const [start, end] = [millisOfDay(constraint.start_time), millisOfDay(constraint.end_time)];
  return at => {
    const time = at.getTime() % 86_400_000;
    return end < start ? time >= start || time < end : time >= start && time < end;
  };
}

/** Converts a time `HH:MM:SS` with an offset to milliseconds since midnight UTC. */
function millisOfDay(time: string): number {
  return Date.parse(`1970-01-02T${time}`) % 86_400_000;
}

function compile(prices: ModelPrice): CatalogRates {
  const keys = Object.keys(prices).filter(key => prices[key] !== undefined);
  const rates: CatalogRates = {
    perRequest: perRequest(prices[REQUEST_KEY]),
    hasOtherUnits: keys.some(key => !KNOWN_KEYS.has(key)),
    isFree: keys.length === 0,
  };
  for (const [key, tokenClass] of Object.entries(CLASS_BY_PRICE_KEY)) rates[tokenClass] = rateOf(prices[key]);
  // The package refuses to price a token class if its parent class has no price.
  if (rates.input && rates.cacheWrite) rates.longCacheWrite = rateOf(prices[LONG_CACHE_KEY]);
  return rates;
}

function rateOf(price: ModelPrice[string]): Rate | undefined {
  if (price === undefined) return undefined;
  if (typeof price === 'number') return { base: rate(price), tiers: [] };
  const tiers = price.tiers.map(tier => ({ above: tier.start, rate: rate(tier.price) }));
  return { base: rate(price.base), tiers: tiers.sort((a, b) => a.above - b.above) };
}

function rate(usd: number): bigint {
  return ratePerMillion(usd) ?? 0n;
}

/** The price of one request. The catalogue states the price of a thousand requests. */
function perRequest(price: ModelPrice[string]): bigint {
  return typeof price === 'number' ? (rate(price) + 500n) / 1_000n : 0n;
}
