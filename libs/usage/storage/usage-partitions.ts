import { Inject, Injectable } from '@nestjs/common';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { USAGE_OPTIONS, type UsageOptions } from '../usage.options.js';

/** Default retention of usage events in days: a year, and a month to look back at it. */
const DEFAULT_RETENTION_DAYS = 400;

const KEEP = `select ${SCHEMA}.keep_usage_partitions($1) as changed`;

/**
 * Maintains one partition of usage events per UTC month: creates future months, and deletes events and their keys after
 * the retention. Every worker replica runs this at start and once an hour. Replicas wait for one another; after the
 * first one, the others find no work. Rows without a monthly partition go to the default partition.
 */
@Injectable()
export class UsagePartitions {
  /** Runs until no work is left. Returns the number of changes. */
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
      failure: 'Partitions of usage events could not be maintained',
      round: () => this.round(),
    });
  }

  private async round(): Promise<number> {
    const [row] = await this.database.upkeep<{ changed: string }>(KEEP, [this.retentionDays]);
    return Number(row?.changed ?? 0);
  }
}
