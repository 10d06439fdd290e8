import { metrics, type BatchObservableResult } from '@opentelemetry/api';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Pool } from 'pg';
import { METER } from '#core';
import { OrgDatabase } from './org-database.js';

/** OpenTelemetry metrics of this process's connections. */
@Injectable()
export class PoolMetrics implements OnModuleDestroy {
  private readonly meter = metrics.getMeter(METER);
  private readonly count = this.meter.createObservableGauge('db.client.connection.count', {
    description: 'Connections of this process to the database, by state',
    unit: '{connection}',
  });

  private readonly max = this.meter.createObservableGauge('db.client.connection.max', {
    description: 'Connections that this process may open at most',
    unit: '{connection}',
  });

  private readonly pending = this.meter.createObservableGauge('db.client.connection.pending_requests', {
    description: 'Statements and transactions that wait for a connection',
    unit: '{request}',
  });

  private pool: Pool | undefined;
  private readonly observe = (result: BatchObservableResult): Promise<void> => this.read(result);

  constructor(private readonly database: OrgDatabase) {
    this.meter.addBatchObservableCallback(this.observe, [this.count, this.max, this.pending]);
  }

  onModuleDestroy(): void {
    this.meter.removeBatchObservableCallback(this.observe, [this.count, this.max, this.pending]);
  }

  /**
   * Reads the metrics without a delay, except the first time. Queries of other metrics, which run at the same time,
   * must not count as waiting.
   */
  private async read(result: BatchObservableResult): Promise<void> {
    this.pool ??= await this.database.orm.em.getConnection().getNativeClient();
    const { pool } = this;
    const used = pool.totalCount - pool.idleCount;
    result.observe(this.count, used, { 'db.client.connection.state': 'used' });
    result.observe(this.count, pool.idleCount, { 'db.client.connection.state': 'idle' });
    result.observe(this.max, pool.options.max);
    result.observe(this.pending, pool.waitingCount);
  }
}
