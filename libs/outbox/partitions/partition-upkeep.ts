import { Inject, Injectable, Logger } from '@nestjs/common';
import { messageOf } from '#core';
import { OrgDatabase, SCHEMA } from '#database';
import { Scheduler } from '#scheduler';
import { OUTBOX_OPTIONS, type OutboxOptions } from '../outbox.options.js';

const DEFAULT_RETENTION_DAYS = 30;
const DAYS_AHEAD = 3;

/** Forgets what is older than so many days. */
type Sweep = (retentionDays: number) => Promise<unknown>;

/**
 * Keeps one partition per day of the tables that grow: makes those of the days to come, and drops those that are older
 * than what is kept, each table as long as it says; with events goes what is kept for as long elsewhere. Every replica
 * looks once an hour; they wait for one another, and the second finds nothing to do.
 */
@Injectable()
export class PartitionUpkeep {
  private readonly logger = new Logger('Governance');
  /** Days for which each table is kept. */
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
      // Every process writes to the tables, and must not wait for another one to make room.
      runsEverywhere: true,
      failure: 'Partitions could not be kept',
      round: async () => {
        await this.keep();
        return 0;
      },
    });
  }

  /**
   * Adds a table that is partitioned by a UUID of version 7; it is kept as long as events, unless days of its own are
   * given. To be called while the module is initialised.
   */
  add(table: string, retentionDays = this.retentionDays): void {
    this.tables.set(table, retentionDays);
  }

  /** Adds what forgets rows of a table without partitions. To be called while the module is initialised. */
  addSweep(sweep: Sweep): void {
    this.sweeps.push(sweep);
  }

  /** Makes and drops partitions once, and sweeps. Never rejects: rows without a partition have the default one. */
  async keep(): Promise<void> {
    for (const [table, days] of this.tables) {
      // Each in a transaction of its own: nobody who writes several tables can wait for it in a circle.
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
