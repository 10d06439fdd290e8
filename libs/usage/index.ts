// Usage events, rollups and prices.

// Report usage
export { UsageIngestion, type RecordOptions, type RejectedEvent, type UsageReceipt } from './ingest/usage-ingestion.js';
export { StoredUsageEvents, UsageEventNotFoundError, type StoredUsageEvent } from './ingest/stored-events.service.js';
export {
  DEFAULT_TIME_LIMITS,
  NO_TIME_LIMITS,
  parseNdjsonLine,
  type EventRefusal,
  type EventTimeLimits,
  type RawEvent,
} from './events/index.js';

// Read usage
export { UsageReportService, type UsageSummary } from './report/usage-report.service.js';
export type { UsageFilter } from './report/usage-query.js';
export { parseDateRange, periodLabel, PERIODS, type DateRange, type Period } from './periods/index.js';

// Price usage
export {
  GENAI_PRICES_VERSION,
  GenaiPricesCatalog,
  OverridingCatalog,
  type ModelAlias,
  type PriceOverride,
} from './prices/index.js';
export { OrganizationPrices } from './price-list/organization-prices.js';
export { PriceListService } from './price-list/price-list.service.js';
export { PriceNotFoundError, PRICES_MAX, TooManyPricesError } from './price-list/price.errors.js';
export type { PriceAliasTerms, PriceOverrideTerms, PriceRecord, PriceTerms } from './price-list/price-record.entity.js';

// Wire it
export { usageFeature } from './usage.feature.js';
