import { Module } from '@nestjs/common';
import { PricingCatalog, SpendGuard, UsageActivity, UsageFigures, UserDirectory } from '#core';
import type { Library } from '#database';
import { PriceReratingsController } from './http/price-reratings.controller.js';
import { UnpricedModelsController } from './http/price-unpriced.controller.js';
import { PricesController } from './http/prices.controller.js';
import { FocusExport, ScheduledFocusExport } from './focus/index.js';
import { DiscountsController } from './http/discounts.controller.js';
import { ExchangeRatesController } from './http/exchange-rates.controller.js';
import { FacetsController } from './http/facets.controller.js';
import { FocusController } from './http/focus.controller.js';
import { UsageSeriesController } from './http/series.controller.js';
import { UsageController } from './http/usage.controller.js';
import { UsageEventsController } from './http/usage-events.controller.js';
import { AttributionRegister } from './attribution/index.js';
import { EventPreparation } from './ingest/event-preparation.js';
import { StoredUsageEvents } from './ingest/stored-events.service.js';
import { UsageIngestion } from './ingest/usage-ingestion.js';
import { UsageMetrics } from './ingest/usage-metrics.js';
import { UsageWriter } from './ingest/usage-writer.js';
import { Budget } from './budgets/budget.entity.js';
import { BudgetHistory } from './budgets/budget-history.service.js';
import { BudgetListService } from './budgets/budget-list.service.js';
import { BudgetOverrides } from './budgets/budget-overrides.service.js';
import { CounterUpkeep } from './budgets/counter-upkeep.js';
import { BudgetParts } from './budgets/budget-parts.service.js';
import { BudgetService } from './budgets/budget.service.js';
import { BudgetTimeZones } from './budgets/budget-time-zones.js';
import { BudgetWindows } from './budgets/budget-windows.service.js';
import { BudgetsController } from './budgets/budgets.controller.js';
import { OrganizationBudgets } from './budgets/organization-budgets.js';
import { BudgetHistoryMigration0546 } from './migrations/0546-budget-history.migration.js';
import { BudgetsMigration0510 } from './migrations/0510-budgets.migration.js';
import { FocusExportsMigration0545 } from './migrations/0545-focus-exports.migration.js';
import { ManyWindowsMigration0548 } from './migrations/0548-many-windows.migration.js';
import { DividedReservationsMigration0547 } from './migrations/0547-divided-reservations.migration.js';
import { TouchedHoursMigration0540 } from './migrations/0540-touched-hours.migration.js';
import { ReratingMigration0520 } from './migrations/0520-rerating.migration.js';
import { UsageMigration0500 } from './migrations/0500-usage.migration.js';
import { LimitClaims } from './limits/limit-claims.js';
import { Limit } from './limits/limit.entity.js';
import { LimitedSpend } from './spend/limited-spend.js';
import { LimitGuard } from './limits/limit-guard.js';
import { LimitListService } from './limits/limit-list.service.js';
import { LimitService } from './limits/limit.service.js';
import { LimitUpkeep } from './limits/limit-upkeep.js';
import { LimitsController } from './limits/limits.controller.js';
import { OpenRequests } from './limits/open-requests.js';
import { OrganizationLimits } from './limits/organization-limits.js';
import { LimitsMigration0512 } from './migrations/0512-limits.migration.js';
import { OrganizationPrices } from './price-list/organization-prices.js';
import { ExchangeRate } from './currency/exchange-rate.entity.js';
import { ExchangeRateService } from './currency/exchange-rate.service.js';
import { Discount } from './price-list/discount.entity.js';
import { DiscountService } from './price-list/discount.service.js';
import { PriceListService } from './price-list/price-list.service.js';
import { PriceRecord } from './price-list/price-record.entity.js';
import { UnpricedModels } from './price-list/unpriced-models.service.js';
import { GenaiPricesCatalog } from './prices/index.js';
import { AdjustmentLedger } from './rerating/adjustment-ledger.js';
import { EventAdjustments } from './rerating/event-adjustments.service.js';
import { Repricer } from './rerating/repricer.js';
import { ReratingJob } from './rerating/rerating.job.js';
import { Reratings } from './rerating/reratings.service.js';
import { StoredUsageActivity } from './report/stored-usage-activity.js';
import { TouchedHoursUpkeep } from './report/touched-hours-upkeep.js';
import { StoredUsageFigures } from './report/stored-usage-figures.js';
import { UsageReportService } from './report/usage-report.service.js';
import { UsageFacets, UsageSeriesService } from './series/index.js';
import { AdvanceFirstGuard } from './spend/advance-first-guard.js';
import { Advances } from './spend/advances.js';
import { BudgetGuard } from './spend/budget-guard.js';
import { RefusalAlerts } from './spend/refusal-alerts.js';
import { ReservationBatcher } from './spend/reservation-batcher.js';
import { BudgetMetrics } from './spend/budget-metrics.js';
import { ReservationExpiry } from './spend/reservation-expiry.js';
import { ReservationExtension } from './spend/reservation-extension.js';
import { ReservationListService } from './spend/reservation-list.service.js';
import { ReservationsController } from './spend/reservations.controller.js';
import { SpendEstimates } from './spend/spend-estimates.js';
import { SpendLedger } from './spend/spend-ledger.js';
import { UsagePartitions } from './storage/usage-partitions.js';
import { BudgetConfiguration } from './configuration/budget-configuration.js';
import { BudgetPartConfiguration } from './configuration/budget-part-configuration.js';
import { DiscountConfiguration } from './configuration/discount-configuration.js';
import { LimitConfiguration } from './configuration/limit-configuration.js';
import { PriceConfiguration } from './configuration/price-configuration.js';
import { KnownSubjects } from './scopes/index.js';
import { AllowanceUpkeep } from './tokens/allowance-upkeep.js';
import { EndedAllowances } from './tokens/ended-allowances.js';
import { StoredTokenAllowances } from './tokens/stored-token-allowances.js';
import { UsageOverview } from './budgets/usage-overview.js';
import { PERSONAL_TABLES } from './personal-tables.js';

/** Nest module for usage events, reports, prices, budgets and limits. */
@Module({})
export class UsageModule {
  static readonly library: Library = {
    name: 'usage',
    providers: [
      BudgetHistory,
      BudgetListService,
      DiscountService,
      ExchangeRateService,
      BudgetOverrides,
      BudgetParts,
      BudgetService,
      BudgetTimeZones,
      CounterUpkeep,
      BudgetWindows,
      AdvanceFirstGuard,
      Advances,
      BudgetGuard,
      KnownSubjects,
      LimitClaims,
      LimitGuard,
      LimitListService,
      LimitService,
      LimitUpkeep,
      OpenRequests,
      OrganizationBudgets,
      OrganizationLimits,
      OrganizationPrices,
      PriceListService,
      RefusalAlerts,
      ReservationBatcher,
      BudgetMetrics,
      ReservationExpiry,
      ReservationExtension,
      ReservationListService,
      SpendEstimates,
      SpendLedger,
      AdjustmentLedger,
      AttributionRegister,
      EventAdjustments,
      EventPreparation,
      Repricer,
      ReratingJob,
      Reratings,
      AllowanceUpkeep,
      EndedAllowances,
      StoredTokenAllowances,
      StoredUsageEvents,
      UnpricedModels,
      UsageOverview,
      UsageIngestion,
      UsageMetrics,
      TouchedHoursUpkeep,
      UsagePartitions,
      FocusExport,
      ScheduledFocusExport,
      UsageFacets,
      UsageReportService,
      UsageSeriesService,
      UsageWriter,
      BudgetConfiguration,
      BudgetPartConfiguration,
      LimitConfiguration,
      PriceConfiguration,
      DiscountConfiguration,
    ],
    ports: [
      { provide: PricingCatalog, useClass: GenaiPricesCatalog },
      { provide: SpendGuard, useClass: LimitedSpend },
      { provide: UsageActivity, useClass: StoredUsageActivity },
      { provide: UsageFigures, useClass: StoredUsageFigures },
    ],
    requires: [UserDirectory],
    controllers: [
      UsageEventsController,
      FocusController,
      UsageSeriesController,
      FacetsController,
      UsageController,
      PriceReratingsController,
      UnpricedModelsController,
      PricesController,
      DiscountsController,
      ExchangeRatesController,
      BudgetsController,
      LimitsController,
      ReservationsController,
    ],
    entities: [Budget, Discount, ExchangeRate, Limit, PriceRecord],
    migrations: [
      {
        name: '0500_usage',
        class: UsageMigration0500,
        tables: [
          'discounts',
          'exchange_rates',
          'prices',
          'usage_attributions',
          'usage_daily',
          'usage_dimension_values',
          'usage_event_keys',
          'usage_events',
          'usage_hourly',
          'usage_totals',
        ],
      },
      {
        name: '0510_budgets',
        class: BudgetsMigration0510,
        tables: ['budget_overrides', 'budget_windows', 'budgets', 'reservations'],
      },
      { name: '0520_rerating', class: ReratingMigration0520, tables: ['usage_adjustments', 'usage_reratings'] },
      { name: '0545_focus_exports', class: FocusExportsMigration0545, tables: ['focus_exports'] },
      { name: '0547_divided_reservations', class: DividedReservationsMigration0547 },
      { name: '0548_many_windows', class: ManyWindowsMigration0548 },
      { name: '0540_touched_hours', class: TouchedHoursMigration0540, tables: ['usage_touched_hours'] },
      {
        name: '0512_limits',
        class: LimitsMigration0512,
        tables: ['limit_counters', 'limit_ends', 'limit_leases', 'limits'],
      },
      {
        name: '0546_budget_history',
        class: BudgetHistoryMigration0546,
        tables: ['budget_alerts', 'budget_former_amounts'],
      },
    ],
    personal: PERSONAL_TABLES,
    exports: [
      UsageIngestion,
      PriceListService,
      DiscountService,
      ExchangeRateService,
      BudgetService,
      BudgetListService,
      BudgetParts,
      BudgetOverrides,
      LimitService,
      LimitListService,
      UnpricedModels,
      ReservationExtension,
      Reratings,
      StoredUsageEvents,
      FocusExport,
      UsageFacets,
      UsageReportService,
      UsageSeriesService,
    ],
  };
}
