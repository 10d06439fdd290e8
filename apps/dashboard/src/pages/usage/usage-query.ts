/** The groupings of usage. */
export const GROUPS = ['model', 'user', 'department', 'provider'] as const;

/** The metrics of usage. */
export const METRICS = ['cost_usd', 'requests', 'tokens'] as const;

/** Display names of the metrics. */
export const METRIC_NAMES = { cost_usd: 'Cost', requests: 'Requests', tokens: 'Tokens' };

/** Display names of the periods. */
export const UNITS = { hourly: 'hour', daily: 'day', weekly: 'week' };
