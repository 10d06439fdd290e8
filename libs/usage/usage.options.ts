/** How usage is kept. */
export interface UsageOptions {
  /**
   * Days for which single usage events are kept: by when they happened, in whole UTC months, and for history from
   * before the first month that was set up, by when they were received. At least 97, because events may be 90 days old
   * when they come. Rollups by hour and day, which are what reports read, are kept for ever. Default: 400.
   */
  retentionDays?: number;
}

/** Injection token of {@link UsageOptions}. */
export const USAGE_OPTIONS = Symbol('governance.usage-options');
