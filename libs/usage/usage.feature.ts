import { PricingCatalog } from '#core';
import type { Feature } from '#database';
import { PricesController } from './http/prices.controller.js';
import { UsageController } from './http/usage.controller.js';
import { UsageEventsController } from './http/usage-events.controller.js';
import { StoredUsageEvents } from './ingest/stored-events.service.js';
import { UsageIngestion } from './ingest/usage-ingestion.js';
import { UsageMetrics } from './ingest/usage-metrics.js';
import { UsageWriter } from './ingest/usage-writer.js';
import { UsageMigration0500 } from './migrations/0500-usage.migration.js';
import { OrganizationPrices } from './price-list/organization-prices.js';
import { PriceListService } from './price-list/price-list.service.js';
import { PriceRecord } from './price-list/price-record.entity.js';
import { GenaiPricesCatalog } from './prices/index.js';
import { UsageReportService } from './report/usage-report.service.js';

/** The usage library's part of the module. */
export const usageFeature: Feature = {
  providers: [
    { provide: PricingCatalog, useClass: GenaiPricesCatalog },
    OrganizationPrices,
    PriceListService,
    StoredUsageEvents,
    UsageIngestion,
    UsageMetrics,
    UsageReportService,
    UsageWriter,
  ],
  controllers: [UsageEventsController, UsageController, PricesController],
  entities: [PriceRecord],
  migrations: [{ name: '0500_usage', class: UsageMigration0500 }],
};
