import type { JsonObject } from '#core';

/** Options of a setting of further fields. */
export interface FieldsSetting {
  readonly description: string;
  /** Fields that the adapter fills itself; the setting cannot override them. */
  readonly reserved: readonly string[];
  /** The schema of a value. Default: any JSON. */
  readonly values?: JsonObject;
}

/** The schema of a setting that holds further fields of a ticket, by the platform's names of them. */
export function fieldsSetting({ description, reserved, values = {} }: FieldsSetting): JsonObject {
  return {
    type: 'object',
    title: 'Further fields',
    description,
    maxProperties: 50,
    propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_.]*$', maxLength: 100, not: { enum: [...reserved] } },
    additionalProperties: values,
  };
}
