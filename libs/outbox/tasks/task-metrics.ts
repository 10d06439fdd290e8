import { metrics, type BatchObservableResult } from '@opentelemetry/api';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { METER } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { OutboxWorker } from './outbox-worker.js';
import { SUSPENDED_PREFIX } from './suspended-tasks.js';

const BACKLOG = `select queue, waiting::float8, oldest_seconds, dead::float8 from ${SCHEMA}.task_backlog()`;

/** Milliseconds for which a result is cached, so that several metric readers cause only one query. */
const FRESH_MS = 5_000;

interface Backlog {
  readonly queue: string;
  readonly waiting: number;
  readonly oldest_seconds: number;
  readonly dead: number;
}

/**
 * Reports the backlog of background tasks as OpenTelemetry metrics. The numbers come from the database, so that all
 * replicas report the same numbers.
 */
@Injectable()
export class TaskMetrics implements OnModuleDestroy {
  private readonly meter = metrics.getMeter(METER);
  private readonly waiting = this.meter.createObservableGauge('governance.tasks.waiting', {
    description: 'Background tasks that are due and that no worker has begun, by queue; the same on every replica',
    unit: '{task}',
  });

  private readonly oldest = this.meter.createObservableGauge('governance.tasks.oldest_age', {
    description: 'For how long the oldest waiting task has been due, by queue; the same on every replica',
    unit: 's',
  });

  private readonly dead = this.meter.createObservableGauge('governance.tasks.dead', {
    description: 'Dead-lettered tasks, by queue: they wait for an operator; the same on every replica',
    unit: '{task}',
  });

  private readonly observe = (result: BatchObservableResult): Promise<void> => this.read(result);
  private known: Promise<readonly Backlog[]> | undefined;
  private knownUntil = 0;

  constructor(
    private readonly database: OrgDatabase,
    private readonly worker: OutboxWorker,
  ) {
    this.meter.addBatchObservableCallback(this.observe, [this.waiting, this.oldest, this.dead]);
  }

  onModuleDestroy(): void {
    this.meter.removeBatchObservableCallback(this.observe, [this.waiting, this.oldest, this.dead]);
  }

  private async read(result: BatchObservableResult): Promise<void> {
    // Tasks of suspended organizations wait on purpose, so they are no backlog.
    const all = (await this.backlog()).filter(({ queue }) => !queue.startsWith(SUSPENDED_PREFIX));
    const rows = new Map(all.map(row => [row.queue, row]));
    // An empty queue also reports zeros, so that an alert on the metric resolves.
    for (const queue of new Set([...this.worker.jobs.map(({ name }) => name), ...rows.keys()])) {
      const { waiting, oldest_seconds: age, dead } = rows.get(queue) ?? { waiting: 0, oldest_seconds: 0, dead: 0 };
      const attributes = { 'governance.queue': queue };
      result.observe(this.waiting, waiting, attributes);
      result.observe(this.oldest, age, attributes);
      result.observe(this.dead, dead, attributes);
    }
  }

  private backlog(): Promise<readonly Backlog[]> {
    if (this.known && performance.now() < this.knownUntil) return this.known;
    this.knownUntil = performance.now() + FRESH_MS;
    this.known = this.database.global<Backlog & object>(BACKLOG);
    this.known.catch(() => (this.knownUntil = 0));
    return this.known;
  }
}
