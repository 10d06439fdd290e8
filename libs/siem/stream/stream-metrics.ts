import { metrics, type BatchObservableResult } from '@opentelemetry/api';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { METER } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { AuditSink, isSet } from '../sinks/audit-sink.port.js';

const BACKLOG = `select waiting, oldest_seconds from ${SCHEMA}.siem_backlog($1)`;

/**
 * Reports the number of records that wait for the SIEM. The figures come from the database, so all replicas report the
 * same.
 */
@Injectable()
export class StreamMetrics implements OnModuleDestroy {
  private readonly meter = metrics.getMeter(METER);
  private readonly waiting = this.meter.createObservableGauge('governance.audit_sink.waiting', {
    description: 'Records that the SIEM has not accepted yet; the same on every replica; absent without a sink',
    unit: '{record}',
  });

  private readonly oldest = this.meter.createObservableGauge('governance.audit_sink.oldest_age', {
    description: 'Age of the oldest record that the SIEM has not accepted; the same on every replica',
    unit: 's',
  });

  private readonly observe = (result: BatchObservableResult): Promise<void> => this.read(result);
  private readonly gauges = [this.waiting, this.oldest];

  constructor(
    private readonly database: OrgDatabase,
    private readonly sink: AuditSink,
  ) {
    if (isSet(sink)) this.meter.addBatchObservableCallback(this.observe, this.gauges);
  }

  onModuleDestroy(): void {
    this.meter.removeBatchObservableCallback(this.observe, this.gauges);
  }

  private async read(result: BatchObservableResult): Promise<void> {
    const parameters = [this.sink.name];
    const [row] = await this.database.global<{ waiting: number; oldest_seconds: number }>(BACKLOG, parameters);
    result.observe(this.waiting, row?.waiting ?? 0);
    result.observe(this.oldest, Math.max(0, row?.oldest_seconds ?? 0));
  }
}
