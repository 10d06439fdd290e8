/** The signals of OpenTelemetry. */
export type Signal = 'traces' | 'logs' | 'metrics';
