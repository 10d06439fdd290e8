export { GENAI_PRICES_VERSION, GenaiPricesCatalog } from './genai-prices-catalog.js';
export { ModelPattern } from './model-pattern.js';
export { DiscountedCatalog, PERCENT_DECIMALS, percentParts, type ContractDiscount } from './discounted-catalog.js';
export { OverridingCatalog } from './overriding-catalog.js';
export { MAX_PRICE_PER_MILLION_USD, normalLabel, type ModelAlias, type PriceOverride } from './price-override.js';
export { RatedCatalog, type EstimatedRequest } from './rated-catalog.js';
export { priceEvent, type PriceableEvent } from './event-price.js';
export { decimalToPico, picoToDecimalString, usdToPico } from './money.js';
