import type { SqlTransaction } from './sql-transaction.port.js';

/** An hour whose usage has changed, and how often so far. */
export interface TouchedHour {
  readonly hour: Date;
  /** Grows with each change. */
  readonly touches: number;
}

/** Usage within an hour. */
export interface HourlyUsage {
  readonly hour: Date;
  readonly requests: number;
  /** Of prompts and answers together. */
  readonly tokens: number;
  /** US dollars; usage of unknown price adds nothing. */
  readonly costUsd: number;
}

/** Usage of one model by one person within an hour. */
export interface PersonalUsage extends HourlyUsage {
  readonly userId: string;
  readonly model: string;
}

/**
 * Usage by hour, for readers that follow what changes, such as the detection of anomalies. All methods but the first run
 * in a transaction of the organization and may repeat.
 */
export abstract class UsageActivity {
  /** At most `limit` organizations with changed hours, in the order of their ids, those behind `after`. */
  abstract organizations(after: string | undefined, limit: number): Promise<string[]>;

  /** At most `limit` changed hours, the oldest first. */
  abstract touched(tx: SqlTransaction, orgId: string, limit: number): Promise<TouchedHour[]>;

  /** Removes changed hours from the list, except those that have changed again since they were read. */
  abstract settle(tx: SqlTransaction, orgId: string, hours: readonly TouchedHour[]): Promise<void>;

  /** At most `limit` people with usage in some hours, in the order of their ids, those behind `after`. */
  abstract people(
    tx: SqlTransaction,
    orgId: string,
    hours: readonly Date[],
    after: string | undefined,
    limit: number,
  ): Promise<string[]>;

  /** Usage of the given users in the given hours, by model. */
  abstract ofPeople(
    tx: SqlTransaction,
    orgId: string,
    userIds: readonly string[],
    hours: readonly Date[],
  ): Promise<PersonalUsage[]>;

  /** Usage of the organization in the given hours, oldest first; hours without usage are missing. */
  abstract totals(tx: SqlTransaction, orgId: string, hours: readonly Date[]): Promise<HourlyUsage[]>;
}
