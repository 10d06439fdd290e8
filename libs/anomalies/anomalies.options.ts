import { option } from '#core';

/** How unusual usage is looked for. */
export interface AnomaliesOptions {
  /** Days for which alarms are kept. 1 to 3,650. Default: 400. */
  retentionDays?: number;
}

/** What the options may be. */
export const ANOMALIES_RULES = { retentionDays: option.whole(1, 3_650) } satisfies option.RulesOf<AnomaliesOptions>;

/** Injection token of {@link AnomaliesOptions}. */
export const ANOMALIES_OPTIONS = Symbol('governance.anomalies-options');
