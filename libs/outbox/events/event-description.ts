/** A part of a JSON Schema (draft 2020-12) that describes one field. */
export interface FieldSchema {
  readonly description: string;
  readonly type: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly required?: readonly string[];
}

/**
 * JSON Schema (draft 2020-12) of an event's `data`. It allows further fields, because later versions may add some.
 */
export interface DataSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly title: string;
  readonly description: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

/** The fields of `T`, all of them and no others. */
export type FieldsOf<T extends object> = { readonly [K in keyof T]-?: FieldSchema };

/** The names of the fields of `T` that may be missing. */
type OptionalFieldOf<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];

/** The published description of one event type, apart from its name. */
export interface EventDescription<T extends object = object> {
  /** When the event is sent. */
  readonly description: string;
  readonly schema: DataSchema;
  /** An example of `data`. */
  readonly example: T;
}

/** Describes an event type. `title` is the type. Fields that are not listed as optional are required. */
export function describeEvent<T extends object>(
  title: string,
  description: string,
  example: T,
  properties: FieldsOf<T>,
  optional: readonly OptionalFieldOf<T>[] = [],
): EventDescription<T> {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const required = Object.keys(properties).filter(name => !optional.some(field => field === name));
  return { description, schema: { $schema, title, description, type: 'object', properties, required }, example };
}

/** A UUID. */
export function uuidField(description: string): FieldSchema {
  return { description, type: 'string', format: 'uuid' };
}

/** A text. */
export function textField(description: string): FieldSchema {
  return { description, type: 'string' };
}

/** A time. */
export function timeField(description: string): FieldSchema {
  return { description: `${description} ISO 8601, UTC.`, type: 'string', format: 'date-time' };
}

/** An object with any keys. */
export function freeField(description: string): FieldSchema {
  return { description, type: 'object' };
}

/** A period of time. */
export function windowField(description: string): FieldSchema {
  return {
    description,
    type: 'object',
    properties: { start: timeField('The first instant.'), end: timeField('The first instant after it.') },
    required: ['start', 'end'],
  };
}
