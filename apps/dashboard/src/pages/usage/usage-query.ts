/** What usage is grouped by. */
export const GROUPS = ['model', 'user', 'department', 'provider'] as const;

/** What is added up. */
export const METRICS = ['cost_usd', 'requests', 'tokens'] as const;

/** Names of what is added up. */
export const METRIC_NAMES = { cost_usd: 'Cost', requests: 'Requests', tokens: 'Tokens' };

/** Names of the periods. */
export const UNITS = { hourly: 'hour', daily: 'day', weekly: 'week' };
