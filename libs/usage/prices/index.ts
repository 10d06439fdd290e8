export { GENAI_PRICES_VERSION, GenaiPricesCatalog } from './genai-prices.catalog.js';
export { OverridingCatalog } from './overriding.catalog.js';
export { MAX_PRICE_PER_MILLION_USD, type ModelAlias, type PriceOverride } from './price-override.js';
export { priceEvent } from './event-price.js';
export { picoToDecimalString, usdToPico } from './money.js';
