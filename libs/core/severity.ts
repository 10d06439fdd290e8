/** How serious something is that a person should look at. */
export type Severity = 'critical' | 'high' | 'medium' | 'low';

/** All severities, the worst first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Severity[];
