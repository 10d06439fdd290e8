import { SEVERITIES, type JsonObject, type Severity } from '#core';

/** The platform's priority by severity; severities that are left out keep the default. */
export type Priorities = Readonly<Partial<Record<Severity, string>>>;

/** The schema of a setting that maps severities to priorities of the platform. */
export function prioritiesSetting(description: string, pattern = '\\S'): JsonObject {
  const value = { type: 'string', minLength: 1, maxLength: 100, pattern };
  return {
    type: 'object',
    title: 'Priorities',
    description,
    additionalProperties: false,
    properties: Object.fromEntries(SEVERITIES.map(severity => [severity, value])),
  };
}
