import { Inject, Injectable, type Provider } from '@nestjs/common';
import { DecisionDimensions, PricingCatalog, type DecidedFor } from '#core';
import {
  AttributionRegister,
  NO_ATTRIBUTION,
  type AttributedUse,
  type StoredAttribution,
} from '../attribution/index.js';
import type { RawEvent } from '../events/index.js';
import type { EventOutcome, PricedEvent } from '../ingest/priced-event.js';
import { EventPreparation } from '../ingest/event-preparation.js';
import { UsageIngestion, type RecordOptions, type UsageReceipt } from '../ingest/usage-ingestion.js';
import { UsageMetrics } from '../ingest/usage-metrics.js';
import { UsageWriter } from '../ingest/usage-writer.js';
import { OrganizationPrices } from '../price-list/organization-prices.js';
import { OverridingCatalog, type PriceOverride } from '../prices/index.js';
import { UsageMemory } from './usage-memory.port.js';

/** Keeps the ids of stored events, so that each event is counted once. */
@Injectable()
class WriterInMemory implements Pick<UsageWriter, 'write'> {
  private readonly fingerprints = new Map<string, string>();

  constructor(private readonly memory: UsageMemory) {}

  async write(orgId: string, events: readonly PricedEvent[]): Promise<EventOutcome[]> {
    return events.map(event => {
      const key = `${orgId}\0${event.id}`;
      const before = this.fingerprints.get(key);
      if (before !== undefined) return before === event.fingerprint ? 'duplicate' : 'conflict';
      this.fingerprints.set(key, event.fingerprint);
      this.memory.used(orgId, event);
      return 'accepted';
    });
  }
}

/** Distinguishes every attribution, because it has no bounds. */
@Injectable()
class AttributionsInMemory implements Pick<AttributionRegister, 'admit'> {
  async admit(_orgId: string, uses: readonly AttributedUse[]): Promise<StoredAttribution[]> {
    return uses.map(() => ({ id: NO_ATTRIBUTION, sharedId: NO_ATTRIBUTION, notes: [] }));
  }
}

/** Decisions are not stored, so there is none to read. */
@Injectable()
class NoDecisions extends DecisionDimensions {
  override async of(): Promise<Map<string, DecidedFor>> {
    return new Map();
  }
}

/** Records usage outside of transactions. If the host's transaction rolls back, the usage stays recorded. */
@Injectable()
class IngestionInMemory extends UsageIngestion {
  @Inject(UsageMemory) private readonly memory!: UsageMemory;

  override async recordRaw(
    orgId: string,
    events: readonly RawEvent[],
    { limits, reporter }: RecordOptions = {},
  ): Promise<UsageReceipt> {
    this.memory.assertOrganization(orgId);
    return super.recordRaw(orgId, events, { ...(limits && { limits }), ...(reporter && { reporter }) });
  }
}

/** The services that record usage, with a {@link UsageMemory} that the module provides. */
export function usageInMemory(prices: readonly PriceOverride[]): Provider[] {
  return [
    UsageMetrics,
    EventPreparation,
    { provide: DecisionDimensions, useClass: NoDecisions },
    { provide: AttributionRegister, useClass: AttributionsInMemory },
    { provide: UsageWriter, useClass: WriterInMemory },
    {
      provide: OrganizationPrices,
      inject: [PricingCatalog],
      useFactory: (base: PricingCatalog): Pick<OrganizationPrices, 'of'> => {
        const catalog = prices.length > 0 ? new OverridingCatalog(base, [...prices], []) : base;
        return { of: async () => catalog };
      },
    },
    { provide: UsageIngestion, useClass: IngestionInMemory },
  ];
}
