import { option } from '#core';
import { MIN_RETENTION_DAYS } from './storage/partition-function.sql.js';

/** Options of the usage storage. */
export interface UsageOptions {
  /**
   * Days for which single usage events are kept. Events are deleted by whole UTC months. The days count from the time
   * of the event, or from the time of receipt if the event is older than the first month that has a partition. At least
   * 97, because events may be 90 days old on arrival. Rollups by hour and day, which reports read, are kept forever.
   * Default: 400.
   */
  retentionDays?: number;
  /**
   * Folder into which FOCUS files are written, one per organization and finished UTC day. All replicas share it, or
   * only one replica sets it. Default: no files.
   */
  focusExportDir?: string;
}

/** Rules that the options must satisfy. */
export const USAGE_RULES = {
  // The maximum of retentionDays is small enough for PostgreSQL to subtract it from the current time.
  focusExportDir: option.text(),
  retentionDays: option.whole(MIN_RETENTION_DAYS, 1_000_000, ' (events may be 90 days old when they come)'),
} satisfies option.RulesOf<UsageOptions>;

/** Injection token of {@link UsageOptions}. */
export const USAGE_OPTIONS = Symbol('governance.usage-options');
