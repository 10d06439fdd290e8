export { GENAI_PRICES_VERSION, GenaiPricesCatalog, type MeteredTokens } from './genai-prices.catalog.js';
export { OverridingCatalog } from './overriding.catalog.js';
export { compileOverride, MAX_PRICE_PER_MILLION_USD, type ModelAlias, type PriceOverride } from './price-override.js';
export { ModelPattern } from './model-pattern.js';
export { priceEvent, type PriceableEvent } from './event-price.js';
export { picoToDecimalString, picoToUsdNumber, usdToPico } from './money.js';
