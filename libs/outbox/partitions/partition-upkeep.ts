import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';

const DEFAULT_RETENTION_DAYS = 30;
const DAYS_AHEAD = 3;

/** Deletes rows that are older than the given number of days. */
type Sweep = (retentionDays: number) => Promise<unknown>;

/**
 * Maintains the daily partitions of growing tables: creates the partitions of the next days, and drops those that are
 * older than the table's retention. Sweeps delete old rows of tables without partitions. Every replica runs this once
 * an hour. Concurrent runs wait for each other, and the second run finds nothing to do.
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
      // Runs in every process, because every process writes to the tables. A process must not depend on another one for
      // new partitions.
      runsEverywhere: true,
      failure: 'Partitions could not be kept',
      round: async () => {
        await this.keep();
        return 0;
      },
    });
  }

  /**
   * Adds a table that is partitioned by a UUID version 7. Default retention: that of events. Call it during module
   * initialization.
   */
  add(table: string, retentionDays = this.retentionDays): void {
    this.tables.set(table, retentionDays);
  }

  /** Adds a sweep of a table without partitions. Call it during module initialization. */
  addSweep(sweep: Sweep): void {
    this.sweeps.push(sweep);
  }

  /**
   * Creates and drops partitions, and runs the sweeps. Never rejects: if a partition is missing, rows are stored in the
   * default partition.
   */
  async keep(): Promise<void> {
    for (const [table, days] of this.tables) {
      // Uses one transaction per table, to avoid deadlocks with transactions that write to several tables.
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
