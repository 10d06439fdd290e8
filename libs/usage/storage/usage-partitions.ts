import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';

/** Days for which usage events are kept unless an option says otherwise: a year, and a month to look back at it. */
const DEFAULT_RETENTION_DAYS = 400;

const KEEP = `select ${SCHEMA}.keep_usage_partitions($1) as changed`;

/**
 * Keeps one partition of usage events per UTC month: makes those that come, and removes events and their keys when they
 * are older than what is kept. Every replica that works in the background looks when it starts and once an hour; they
 * wait for one another, and the second finds nothing to do. Rows without a partition of their own have the default one.
 */
@Injectable()
export class UsagePartitions {
  /** Does all there is to do; answers how much was done. */
  readonly keep: () => Promise<number>;
  private readonly retentionDays: number;

  constructor(
    private readonly database: OrgDatabase,
    @Inject(USAGE_OPTIONS) options: UsageOptions,
    scheduler: Scheduler,
  ) {
    this.retentionDays = options.retentionDays ?? DEFAULT_RETENTION_DAYS;
    this.keep = scheduler.add({
      name: 'usage-partitions',
      pattern: '20 1 * * * *',
      isDueAtStart: true,
      failure: 'Usage events could not be tidied up',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    const [row] = await this.database.upkeep<{ changed: string }>(KEEP, [this.retentionDays]);
    return Number(row?.changed ?? 0);
  }
}
