// Usage events, rollups and prices.

// Report usage
export {
  isConflict,
  UsageIngestion,
  type RecordOptions,
  type RejectedEvent,
  type UsageNote,
  type UsageReceipt,
} from './ingest/usage-ingestion.js';
export { reporterOf, type UsageReporter } from './ingest/usage-reporter.js';
export { boundedRejections } from './http/bounded-rejections.js';
export { StoredUsageEvents, UsageEventNotFoundError, type StoredUsageEvent } from './ingest/stored-events.service.js';
export {
  DEFAULT_TIME_LIMITS,
  NO_TIME_LIMITS,
  parseNdjsonLine,
  splitNdjsonBatch,
  parseUsageEvent,
  reportedTerms,
  type EventRefusal,
  type EventTimeLimits,
  type RawEvent,
  type UsageEventInput,
} from './events/index.js';

// Read usage
export { UsageReportService, type UsageSummary } from './report/usage-report.service.js';
export {
  UsageFacets,
  UsageSeriesService,
  type Dimension,
  type MetricName,
  type SeriesGroup,
  type SeriesLine,
  type SeriesQuery,
  type UsageSeries,
} from './series/index.js';
export type { Figures } from './figures/index.js';
export { FocusExport } from './focus/index.js';
export type { UsageFilter } from './report/usage-query.js';
export { parseDateRange, periodLabel, PERIODS, type DateRange, type Period } from './periods/index.js';

// Price usage
export {
  GENAI_PRICES_VERSION,
  GenaiPricesCatalog,
  OverridingCatalog,
  DiscountedCatalog,
  type ContractDiscount,
  type ModelAlias,
  type PriceOverride,
} from './prices/index.js';
export { OrganizationPrices } from './price-list/organization-prices.js';
export { PriceListService } from './price-list/price-list.service.js';
export {
  DISCOUNTS_MAX,
  DiscountNotFoundError,
  DiscountService,
  TooManyDiscountsError,
} from './price-list/discount.service.js';
export type { Discount } from './price-list/discount.entity.js';
export {
  EXCHANGE_RATES_MAX,
  ExchangeRateNotFoundError,
  ExchangeRateService,
  TooManyExchangeRatesError,
} from './currency/exchange-rate.service.js';
export type { ExchangeRate, RateTerms } from './currency/exchange-rate.entity.js';
export { PriceNotFoundError, PRICES_MAX, TooManyPricesError } from './price-list/price.errors.js';
export type { PriceAliasTerms, PriceOverrideTerms, PriceRecord, PriceTerms } from './price-list/price-record.entity.js';

// Keep spending within budgets
export { BudgetService } from './budgets/budget.service.js';
export { BudgetOverrides } from './budgets/budget-overrides.service.js';
export { BudgetParts, type PartListQuery, type ShownPart } from './budgets/budget-parts.service.js';
export { BudgetListService, type BudgetListQuery } from './budgets/budget-list.service.js';
export { Budget } from './budgets/budget.entity.js';
export { BudgetNotFoundError, BudgetNotSplitError, BUDGETS_MAX, TooManyBudgetsError } from './budgets/budget.errors.js';
export { BUDGET_AMOUNT_MAX, type BudgetDraft } from './budgets/budget-rules.js';
export { BUDGET_ENFORCEMENTS, type BudgetEnforcement } from './budgets/budget-scope.js';
export type { BudgetStatus } from './budgets/budget-status.js';
export type { ShownBudget } from './budgets/budget-statuses.js';
export { SCOPE_SPLITS, type ScopeMatch, type ScopeSplit } from './scopes/index.js';
export { BUDGET_PERIODS, type BudgetPeriod, type BudgetWindow } from './windows/index.js';
export { BUDGET_OPTIONS, BUDGET_RULES, type BudgetOptions } from './budget.options.js';
// Keep requests within limits
export { LimitService, type LimitPatch } from './limits/limit.service.js';
export { LimitListService, type LimitPart } from './limits/limit-list.service.js';
export { Limit } from './limits/limit.entity.js';
export { LIMIT_MAX, type LimitDraft } from './limits/limit-rules.js';
export { LimitNotFoundError, LIMITS_MAX, TooManyLimitsError } from './limits/limit.errors.js';
export { LimitUpkeep } from './limits/limit-upkeep.js';
export { OpenRequests } from './limits/open-requests.js';
export { ReservationExpiry } from './spend/reservation-expiry.js';
export {
  ReservationExtension,
  ReservationNotFoundError,
  type ExtendedReservation,
} from './spend/reservation-extension.js';

export { UnpricedModels, type UnpricedModel } from './price-list/unpriced-models.service.js';
export { Reratings } from './rerating/reratings.service.js';
export {
  ReratingNotFoundError,
  ReratingUnderWayError,
  type Rerating,
  type ReratingScope,
} from './rerating/rerating.js';
export { EventAdjustments, type EventAdjustment } from './rerating/event-adjustments.service.js';

// Wire it
export { UsageModule } from './usage.module.js';
export { USAGE_OPTIONS, USAGE_RULES, type UsageOptions } from './usage.options.js';
