import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsObject,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationOptions,
} from 'class-validator';
import { Type } from 'class-transformer';
import { isStorableText, isUuid } from '#core';
import { isInstant } from './instant.js';

/** Options of all field decorators. */
export interface FieldOptions {
  /** Description in the API reference. */
  description?: string;
  example?: unknown;
  /** The field may be left out. */
  optional?: boolean;
  /** The field may be null. */
  nullable?: boolean;
  default?: unknown;
  /** Leaves the field out of the API reference, which describes it elsewhere. */
  isHidden?: boolean;
}

const NOT_BLANK = /\S/;

// Each decorator declares a rule for both the validator and the OpenAPI document.

/** A text of 1 to `max` characters that PostgreSQL can store, not only white space. */
export function TextField(options: FieldOptions & { max: number; min?: number; pattern?: RegExp; hint?: string }) {
  const min = options.min ?? 1;
  const rules = [
    Storable(),
    Passing(
      'minLength',
      value => lengthOf(value) >= min,
      min === 1 ? 'must not be empty' : `must be at least ${min} characters`,
    ),
    Passing('notBlank', value => value === '' || !isBlank(value), 'must not be blank'),
    Passing('maxLength', value => lengthOf(value) <= options.max, `must be at most ${options.max} characters`),
  ];
  if (options.pattern) rules.push(Matching(options.pattern, options.hint ?? `must match ${options.pattern.source}`));
  return field(
    options,
    { type: String, minLength: min, maxLength: options.max, pattern: (options.pattern ?? NOT_BLANK).source },
    rules,
  );
}

/** One of a fixed set of strings. */
export function ChoiceField(values: readonly string[], options: FieldOptions = {}) {
  const message = `must be one of: ${values.join(', ')}`;
  return field(options, { type: String, enum: [...values] }, [IsIn(values, { message })]);
}

/** One or several of a fixed set of strings, separated by commas. Parse them with {@link severalOf}. */
export function ChoicesField(values: readonly string[], options: FieldOptions = {}) {
  const word = `(?:${values.join('|')})`;
  const pattern = new RegExp(`^${word}(?:,${word}){0,${values.length - 1}}$`);
  const message = `must be one of: ${values.join(', ')}; or several of them, separated by commas`;
  return field(options, { type: String, pattern: pattern.source }, [Matching(pattern, message)]);
}

/** The distinct values of a {@link ChoicesField}; undefined if it is missing. */
export function severalOf<T extends string>(values: readonly T[], text: string | undefined): T[] | undefined {
  if (text === undefined) return undefined;
  const named: ReadonlySet<string> = new Set(text.split(','));
  return values.filter(value => named.has(value));
}

/** A UUID in its usual text form. */
export function UuidField(options: FieldOptions = {}) {
  return field(options, { type: String, format: 'uuid' }, [Passing('isUuid', isUuid, 'must be a UUID')]);
}

/** True or false. */
export function FlagField(options: FieldOptions = {}) {
  return field(options, { type: Boolean }, [IsBoolean({ message: 'must be true or false' })]);
}

/** An integer within bounds. */
export function IntegerField(options: FieldOptions & { min: number; max: number }) {
  const message = `must be a whole number from ${options.min} to ${options.max}`;
  return field(options, { type: 'integer', minimum: options.min, maximum: options.max }, [
    IsInt({ message }),
    Min(options.min, { message }),
    Max(options.max, { message }),
  ]);
}

/** A number within bounds. */
export function NumberField(options: FieldOptions & { min: number; max: number }) {
  const message = `must be a number from ${options.min} to ${options.max}`;
  return field(options, { type: Number, minimum: options.min, maximum: options.max }, [
    IsNumber({}, { message }),
    Min(options.min, { message }),
    Max(options.max, { message }),
  ]);
}

/** A list of strings from a fixed set. */
export function ChoiceListField(values: readonly string[], options: FieldOptions & { max: number; min?: number }) {
  return field(options, { type: [String], enum: [...values], minItems: options.min ?? 0, maxItems: options.max }, [
    IsArray({ message: 'must be a list' }),
    ArrayMinSize(options.min ?? 0, { message: `must have at least ${options.min ?? 0} entries` }),
    ArrayMaxSize(options.max, { message: `must have at most ${options.max} entries` }),
    IsIn(values, { each: true, message: `each entry must be one of: ${values.join(', ')}` }),
  ]);
}

/** A nested object. */
export function ObjectField(type: () => new () => object, options: FieldOptions = {}) {
  const isObject = IsObject({ message: 'must be an object' });
  // Swagger uses the name of a lazy type function as the class name, so the function must be anonymous.
  return field(options, { type: () => type() }, [isObject, ValidateNested(), Type(type)]);
}

/** A list of nested objects. */
export function ObjectListField(type: () => new () => object, options: FieldOptions & { max: number; min?: number }) {
  const min = options.min ?? 0;
  return field(options, { type, isArray: true, minItems: min, maxItems: options.max }, [
    IsArray({ message: 'must be a list' }),
    ArrayMinSize(min, { message: `must have at least ${min} entries` }),
    ArrayMaxSize(options.max, { message: `must have at most ${options.max} entries` }),
    IsObject({ each: true, message: 'each entry must be an object' }),
    ValidateNested({ each: true }),
    Type(type),
  ]);
}

/** An ISO 8601 instant with its time zone, in the years 1970 to 9999. */
export function InstantField(options: FieldOptions = {}) {
  return field(options, { type: String, format: 'date-time' }, [
    Passing(
      'isInstant',
      isInstant,
      'must be an ISO 8601 time of 1970 to 9999 with a time zone, such as 2026-11-20T13:00:00Z',
    ),
  ]);
}

/**
 * A value with a custom check. `check` returns the error, or undefined. `schema` describes the value in the OpenAPI
 * document.
 */
export function CheckedField(
  options: FieldOptions,
  schema: ApiPropertyOptions,
  check: (value: unknown) => string | undefined,
) {
  const rule = ValidateBy({
    name: 'checked',
    validator: {
      validate: value => check(value) === undefined,
      defaultMessage: args => check(args?.value) ?? 'is not valid',
    },
  });
  return field(options, schema, [rule]);
}

function Storable(): PropertyDecorator {
  return ValidateBy({
    name: 'storable',
    validator: {
      validate: value => typeof value === 'string' && isStorableText(value),
      defaultMessage: args =>
        typeof args?.value === 'string' ? 'must not contain NUL or half of a surrogate pair' : 'must be a text',
    },
  });
}

/**
 * Length in code points, as PostgreSQL and JSON Schema count it. class-validator ignores some characters in its count.
 */
function lengthOf(value: unknown): number {
  if (typeof value !== 'string') return 0;
  return value.length - (value.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && !NOT_BLANK.test(value);
}

function Matching(pattern: RegExp, message: string): PropertyDecorator {
  return Passing('matches', value => typeof value === 'string' && pattern.test(value), message);
}

function Passing(name: string, validate: (value: unknown) => boolean, message: string, options?: ValidationOptions) {
  return ValidateBy({ name, validator: { validate, defaultMessage: () => message } }, options);
}

function field(options: FieldOptions, schema: ApiPropertyOptions, rules: PropertyDecorator[]): PropertyDecorator {
  const property = {
    ...schema,
    required: options.optional !== true,
    ...(options.nullable ? { nullable: true } : {}),
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.example === undefined ? {} : { example: options.example }),
    ...(options.default === undefined ? {} : { default: options.default }),
    // TypeScript cannot build the union of swagger's option types field by field.
  } as ApiPropertyOptions;
  const skipped = ValidateIf(
    (_object, value: unknown) => !((options.optional && value === undefined) || (options.nullable && value === null)),
  );
  const shown = options.isHidden ? [] : [ApiProperty(property)];
  return applyDecorators(...shown, skipped, ...rules);
}
