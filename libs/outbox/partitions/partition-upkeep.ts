import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';

const DEFAULT_RETENTION_DAYS = 30;
const DAYS_AHEAD = 3;

/** Deletes rows that are older than this many days. */
type Sweep = (retentionDays: number) => Promise<unknown>;

/**
 * Maintains the daily partitions of growing tables: creates those of the next days, and drops those past the retention of
 * the table. Sweeps delete old rows of tables without partitions. Every replica runs it once an hour; concurrent runs
 * wait for each other, and the second one finds nothing to do.
 */
@Injectable()
export class PartitionUpkeep {
  private readonly logger = new Logger('Governance');
  /** Retention in days, by table. */
  private readonly tables = new Map<string, number>();
  private readonly sweeps: Sweep[] = [];
  private readonly retentionDays: number;

  constructor(
    private readonly database: OrgDatabase,
    @Inject(OUTBOX_OPTIONS) options: OutboxOptions,
    @Inject(Scheduler) scheduler: Pick<Scheduler, 'add'>,
  ) {
    this.retentionDays = options.retentionDays ?? DEFAULT_RETENTION_DAYS;
    this.add('events');
    scheduler.add({
      name: 'partitions',
      pattern: '50 0 * * * *',
      // Every process writes to the tables, so none may depend on another one for new partitions.
      runsEverywhere: true,
      failure: 'Partitions could not be kept',
      round: async () => {
        await this.keep();
        return 0;
      },
    });
  }

  /**
   * Adds a table that is partitioned by a UUID of version 7. Default retention: that of events. Call it while the module
   * is initialized.
   */
  add(table: string, retentionDays = this.retentionDays): void {
    this.tables.set(table, retentionDays);
  }

  /** Adds a sweep of a table without partitions. Call it while the module is initialized. */
  addSweep(sweep: Sweep): void {
    this.sweeps.push(sweep);
  }

  /** Creates and drops partitions, and sweeps. Never rejects: without a partition, rows go to the default one. */
  async keep(): Promise<void> {
    for (const [table, days] of this.tables) {
      // One transaction per table, so that a writer of several tables cannot deadlock with it.
      await this.attempt(`Partitions of ${table} could not be kept`, () =>
        this.database.upkeep(`select ${SCHEMA}.keep_partitions(array[$1::text], $2, $3)`, [table, DAYS_AHEAD, days]),
      );
    }
    for (const sweep of this.sweeps) {
      await this.attempt('What is too old could not be deleted', () => sweep(this.retentionDays));
    }
  }

  private async attempt(failure: string, act: () => Promise<unknown>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.logger.warn(`${failure}; the next try is in an hour: ${messageOf(error)}`);
    }
  }
}
