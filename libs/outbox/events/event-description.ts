import { OptionalEventField, type EventField, type FieldSchema } from './event-fields.js';

/**
 * JSON Schema (draft 2020-12) of an event's `data`. It allows additional fields, because later versions may add some.
 */
export interface DataSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly title: string;
  readonly description: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
}

type Fields = Readonly<Record<string, EventField<unknown>>>;
type OptionalName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends OptionalEventField<unknown> ? Name : never;
}[keyof F];
type Flat<T> = { [Name in keyof T]: T[Name] };

/** Type of `data` with the given fields. */
type DataOf<F extends Fields> = keyof F extends never
  ? Record<string, never>
  : Flat<
      { [Name in Exclude<keyof F, OptionalName<F>>]: F[Name]['value'] } & {
        [Name in OptionalName<F>]?: F[Name]['value'];
      }
    >;

/** The published description of one event type, without its name. */
export interface EventDescription<T extends object = object> {
  /** Describes when the event is sent. */
  readonly description: string;
  readonly schema: DataSchema;
  /** An example of `data`. */
  readonly example: T;
}

/** Describes an event type by its name and a table of the fields of `data`. */
export function describeEvent<F extends Fields>(
  title: string,
  description: string,
  fields: F,
): EventDescription<DataOf<F>> {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const entries = Object.entries<EventField<unknown>>(fields);
  const properties = Object.fromEntries(entries.map(([name, field]) => [name, field.schema]));
  const required = entries.flatMap(([name, field]) => (field instanceof OptionalEventField ? [] : [name]));
  const examples = entries.filter(([, { example }]) => example !== undefined);
  return {
    description,
    schema: { $schema, title, description, type: 'object', properties, required },
    // Every field that is not optional has an example of its type, so the type is correct.
    example: Object.fromEntries(examples.map(([name, { example }]) => [name, example])) as DataOf<F>,
  };
}
