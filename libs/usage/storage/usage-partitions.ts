import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { OUTBOX_OPTIONS, type OutboxOptions } from '#outbox';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';
import { MIN_RETENTION_DAYS } from './partition-function.sql.js';

/** Days for which usage events are kept unless an option says otherwise: a year, and a month to look back at it. */
const DEFAULT_RETENTION_DAYS = 400;

const HOUR_MS = 3_600_000;

/**
 * Keeps one partition of usage events per UTC month: makes those that come, and removes events and their keys when they
 * are older than what is kept. Every replica that works in the background looks when it starts and once an hour; they
 * wait for one another, and the second finds nothing to do.
 */
@Injectable()
export class UsagePartitions implements OnApplicationBootstrap {
  private readonly logger = new Logger('Governance');
  private readonly retentionDays: number;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly database: OrgDatabase,
    @Inject(USAGE_OPTIONS) options: UsageOptions,
    @Inject(OUTBOX_OPTIONS) private readonly outbox: OutboxOptions,
  ) {
    this.retentionDays = checked(options.retentionDays ?? DEFAULT_RETENTION_DAYS);
  }

  /** Looks once, and every hour from now on. Nobody waits for old events to be removed. */
  onApplicationBootstrap(): void {
    if (this.outbox.workers === false) return;
    this.database.beforeClose(() => this.stop());
    this.timer = setInterval(() => this.look(), HOUR_MS).unref();
    this.look();
  }

  /** Does all there is to do. Never rejects: rows without a partition of their own have the default one. */
  async keep(): Promise<void> {
    try {
      while (!this.isStopped && (await this.round()) > 0);
    } catch (error) {
      this.logger.warn(`Usage events could not be tidied up; the next try is in an hour: ${messageOf(error)}`);
    }
  }

  private look(): void {
    this.running = this.running.then(() => this.keep());
  }

  /** A piece of the work, of a few seconds at most; answers how much was done. */
  private async round(): Promise<number> {
    const sql = `select ${SCHEMA}.keep_usage_partitions($1) as changed`;
    const [row] = await this.database.global<{ changed: string }>(sql, [this.retentionDays]);
    return Number(row?.changed ?? 0);
  }

  /** What is under way is a few seconds from its end. */
  private async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }
}

function checked(days: number): number {
  // As an interval of PostgreSQL, and far beyond every event.
  if (Number.isInteger(days) && days >= MIN_RETENTION_DAYS && days <= 1_000_000) return days;
  throw new Error(
    `usage.retentionDays: must be a whole number from ${MIN_RETENTION_DAYS} to 1,000,000, because events may be 90 days ` +
      `old when they come, and is ${days}`,
  );
}
