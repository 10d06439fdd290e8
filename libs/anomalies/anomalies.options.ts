import { option } from '#core';

/** Options of anomaly detection. */
export interface AnomaliesOptions {
  /** Days for which alarms are kept. 1 to 3,650. Default: 400. */
  retentionDays?: number;
}

/** Rules that the options must satisfy. */
export const ANOMALIES_RULES = { retentionDays: option.whole(1, 3_650) } satisfies option.RulesOf<AnomaliesOptions>;

/** Injection token of {@link AnomaliesOptions}. */
export const ANOMALIES_OPTIONS = Symbol('governance.anomalies-options');
