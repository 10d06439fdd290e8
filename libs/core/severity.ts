/** Severity of an incident. */
export type Severity = 'critical' | 'high' | 'medium' | 'low';

/** All severities, the most severe first. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const satisfies readonly Severity[];
