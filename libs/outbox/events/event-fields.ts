import type { JsonObject } from '#core';

// The fields of `describeEvent`. Each function takes the example first.

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

/** A field of an event: its JSON Schema, an example, and the type of its value. */
export class EventField<Value> {
  /** Never assigned; the property only carries the type. */
  declare readonly value: Value;

  constructor(
    readonly schema: FieldSchema,
    readonly example: unknown,
  ) {}

  /** Returns a copy of the field that may be null. */
  nullable(): EventField<Value | null> {
    return new EventField({ ...this.schema, type: [this.schema.type, 'null'].flat() }, this.example);
  }

  /**
   * Returns a copy of the field that may be missing. If the copy has no example, the example of the event omits the
   * field.
   */
  optional(): OptionalEventField<Value> {
    return new OptionalEventField(this.schema, this.example);
  }
}

/** A field that may be missing. */
export class OptionalEventField<Value> extends EventField<Value> {
  readonly isOptional = true;
}

/** A period in ISO 8601, UTC. `end` is the first instant after the period. */
export interface EventWindow {
  start: string;
  end: string;
}

type Example<Value> = Value | null | undefined;
type More = Partial<FieldSchema>;

/** A text. `more` is added to its schema. */
export function text(example: Example<string>, description: string, more?: More): EventField<string> {
  return new EventField({ description, type: 'string', ...more }, example);
}

/** A UUID. */
export function uuid(example: Example<string>, description: string): EventField<string> {
  return text(example, description, { format: 'uuid' });
}

/** A time in ISO 8601, UTC. */
export function instant(example: Example<string>, description: string): EventField<string> {
  return text(example, `${description} ISO 8601, UTC.`, { format: 'date-time' });
}

/** One of a fixed set of words. */
export function choice<const Word extends string>(words: readonly Word[], example: NoInfer<Word>, description: string) {
  return new EventField<Word>({ description, type: 'string', enum: words }, example);
}

/** True or false. */
export function flag(example: boolean, description: string): EventField<boolean> {
  return new EventField({ description, type: 'boolean' }, example);
}

/** A number. `more` is added to its schema. */
export function decimal(example: number, description: string, more?: More): EventField<number> {
  return new EventField({ description, type: 'number', ...more }, example);
}

/** A whole number. `more` is added to its schema. */
export function integer(example: number, description: string, more?: More): EventField<number> {
  return decimal(example, description, { type: 'integer', ...more });
}

/** An object with any keys. */
export function record<Value = JsonObject>(
  example: NoInfer<Value> | undefined,
  description: string,
): EventField<Value> {
  return new EventField({ description, type: 'object' }, example);
}

/** A period of time. */
export function period(example: EventWindow, description: string): EventField<EventWindow> {
  const properties = {
    start: instant(example.start, 'The first instant.').schema,
    end: instant(example.end, 'The first instant after it.').schema,
  };
  return new EventField({ description, type: 'object', properties, required: ['start', 'end'] }, example);
}
