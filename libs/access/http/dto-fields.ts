import type { Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';

// Field types for `dtoOf`. Each function takes the example first, because every field in the API reference has one.

/** A field of a response: its OpenAPI schema, and the type of its value. */
export class DtoField<Value> {
  /** Never assigned; the property only carries the type. */
  declare readonly value: Value;

  constructor(readonly schema: ApiPropertyOptions) {}

  /** Makes the field nullable. */
  nullable(): DtoField<Value | null> {
    return of({ ...this.schema, nullable: true });
  }

  /** Makes the field optional. */
  optional(): OptionalDtoField<Value> {
    return new OptionalDtoField({ ...this.schema, required: false } as ApiPropertyOptions);
  }
}

/** A field that may be left out. */
export class OptionalDtoField<Value> extends DtoField<Value> {
  readonly isOptional = true;
}

/** A field with a custom schema. Without `type`, it is an object. */
export function of<Value>(schema: object): DtoField<Value> {
  return new DtoField({ type: Object, ...schema });
}

/** A text. `more` is added to its schema. */
export function text(example: string | null, description?: string, more?: ApiPropertyOptions): DtoField<string> {
  return of({ type: String, description, example, ...more });
}

/** A UUID. */
export function uuid(example: string | null, description?: string): DtoField<string> {
  return text(example, description, { format: 'uuid' });
}

/** An ISO 8601 time in UTC. */
export function instant(example: string | null, description?: string): DtoField<string> {
  return text(example, description, { format: 'date-time' });
}

/** A calendar day, such as `2026-11-20`. */
export function day(example: string | null, description?: string): DtoField<string> {
  return text(example, description, { format: 'date' });
}

/** True or false. */
export function flag(example: boolean, description?: string): DtoField<boolean> {
  return of({ type: Boolean, description, example });
}

/** A whole number. `more` is added to its schema. */
export function integer(example: number | null, description?: string, more?: ApiPropertyOptions): DtoField<number> {
  return of({ type: 'integer', description, example, ...more });
}

/** A number. `more` is added to its schema. */
export function decimal(example: number | null, description?: string, more?: ApiPropertyOptions): DtoField<number> {
  return of({ type: Number, description, example, ...more });
}

/** One of a fixed set of strings. */
export function choice<const Word extends string>(
  words: readonly Word[],
  example: NoInfer<Word> | null,
  description?: string,
): DtoField<Word> {
  return of({ type: String, enum: [...words], description, example });
}

/** A list of strings of a fixed set. */
export function choices<const Word extends string>(
  words: readonly Word[],
  example: readonly NoInfer<Word>[],
  description?: string,
): DtoField<Word[]> {
  return of({ enum: [...words], isArray: true, description, example });
}

/** A list of strings. */
export function texts(example: readonly string[], description?: string): DtoField<string[]> {
  return of({ type: [String], description, example });
}

/** An object with arbitrary keys. */
export function record<Value = Record<string, unknown>>(example: unknown, description?: string): DtoField<Value> {
  return of({ type: 'object', additionalProperties: true, description, example });
}

/** A list of objects with arbitrary keys. `more` is added to its schema. */
export function records(example: unknown, description?: string, more?: ApiPropertyOptions): DtoField<object[]> {
  return of({ type: 'array', items: { type: 'object', additionalProperties: true }, description, example, ...more });
}

/** An object of another class. Without an explicit example, its example is built from the examples of its fields. */
export function nested<Value>(type: Type<Value>, description?: string, example?: unknown): DtoField<Value> {
  return of({ type, description, example });
}

/** A list of objects of another class. */
export function listOf<Value>(type: Type<Value>, description?: string): DtoField<readonly Value[]> {
  return of({ type: [type], description });
}
