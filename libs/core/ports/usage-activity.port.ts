import type { SqlTransaction } from './sql-transaction.port.js';

/** An hour whose usage has changed, with its number of changes. */
export interface TouchedHour {
  readonly hour: Date;
  /** Number of changes; increases with each change. */
  readonly touches: number;
}

/** Usage of one hour. */
export interface HourlyUsage {
  readonly hour: Date;
  readonly requests: number;
  /** Prompt and completion tokens together. */
  readonly tokens: number;
  /** US dollars. Unpriced usage counts as 0. */
  readonly costUsd: number;
}

/** Usage of one model by one user in one hour. */
export interface PersonalUsage extends HourlyUsage {
  readonly userId: string;
  readonly model: string;
}

/**
 * Usage by hour, for consumers that follow changes, such as anomaly detection. Every method except `organizations` runs
 * in a transaction of the organization. All methods must be idempotent.
 */
export abstract class UsageActivity {
  /** Ids of at most `limit` organizations with changed hours, in ascending order, starting after the id `after`. */
  abstract organizations(after: string | undefined, limit: number): Promise<string[]>;

  /** At most `limit` changed hours, the oldest first. */
  abstract touched(tx: SqlTransaction, orgId: string, limit: number): Promise<TouchedHour[]>;

  /** Removes hours from the list of changed hours. Keeps hours that have changed again since they were read. */
  abstract settle(tx: SqlTransaction, orgId: string, hours: readonly TouchedHour[]): Promise<void>;

  /** Ids of at most `limit` users with usage in the given hours, in ascending order, starting after the id `after`. */
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

  /** Usage of the organization in the given hours, oldest first. Hours without usage are omitted. */
  abstract totals(tx: SqlTransaction, orgId: string, hours: readonly Date[]): Promise<HourlyUsage[]>;
}
