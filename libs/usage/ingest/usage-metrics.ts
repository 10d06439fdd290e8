import { metrics } from '@opentelemetry/api';
import { Injectable } from '@nestjs/common';
import { METER } from '#core';

/** OpenTelemetry counter of usage events. */
@Injectable()
export class UsageMetrics {
  private readonly events = metrics.getMeter(METER).createCounter('governance.usage.events', {
    description: 'Usage events received, by outcome',
    unit: '{event}',
  });

  /** Counts a batch. */
  count(receipt: { accepted: number; duplicates: number; rejected: readonly unknown[] }): void {
    this.add('accepted', receipt.accepted);
    this.add('duplicate', receipt.duplicates);
    this.add('rejected', receipt.rejected.length);
  }

  private add(outcome: string, events: number): void {
    if (events > 0) this.events.add(events, { 'governance.outcome': outcome });
  }
}
