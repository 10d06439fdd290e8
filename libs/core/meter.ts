/** Name under which all instruments of this library report to OpenTelemetry. */
export const METER = 'nest-llm-governance';
