import type { SqlTransaction } from './sql-transaction.port.js';

/** An hour whose usage has changed, with its number of changes. */
export interface TouchedHour {
  readonly hour: Date;
  /** Increases with each change. */
  readonly touches: number;
}

/** Usage of one hour. */
export interface HourlyUsage {
  readonly hour: Date;
  readonly requests: number;
  /** Prompt and completion tokens together. */
  readonly tokens: number;
  /** US dollars; unpriced usage counts as 0. */
  readonly costUsd: number;
}

/** Usage of one model by one user in one hour. */
export interface PersonalUsage extends HourlyUsage {
  readonly userId: string;
  readonly model: string;
}

/**
 * Usage by hour, for consumers that follow changes, such as anomaly detection. All methods but the first run in a
 * transaction of the organization and may be repeated.
 */
export abstract class UsageActivity {
  /** At most `limit` organizations with changed hours, ordered by id, after the id `after`. */
  abstract organizations(after: string | undefined, limit: number): Promise<string[]>;

  /** At most `limit` changed hours, the oldest first. */
  abstract touched(tx: SqlTransaction, orgId: string, limit: number): Promise<TouchedHour[]>;

  /** Removes hours from the list, except those that have changed again since they were read. */
  abstract settle(tx: SqlTransaction, orgId: string, hours: readonly TouchedHour[]): Promise<void>;

  /** At most `limit` users with usage in the given hours, ordered by id, after the id `after`. */
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
