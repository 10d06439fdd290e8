import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { DtoField, OptionalDtoField } from './dto-fields.js';

type Fields = Readonly<Record<string, DtoField<unknown>>>;
type OptionalName<F extends Fields> = {
  [Name in keyof F]: F[Name] extends OptionalDtoField<unknown> ? Name : never;
}[keyof F];
type Flat<T> = { [Name in keyof T]: T[Name] };

/** Type of an object with these fields. */
export type DtoOf<F extends Fields> = Flat<
  { [Name in Exclude<keyof F, OptionalName<F>>]: F[Name]['value'] } & {
    [Name in OptionalName<F>]?: F[Name]['value'];
  }
>;

/**
 * Creates a response class from a table of fields. Each entry declares name, type and OpenAPI schema. With `base`, the
 * class has the fields of another class first.
 * @example class PointDto extends dtoOf({ at: f.instant('2026-11-20T13:00:00Z'), value: f.decimal(1.5, 'Measured.') })
 * {}
 */
export function dtoOf<F extends Fields>(fields: F): Type<DtoOf<F>>;
export function dtoOf<Base extends object, F extends Fields>(base: Type<Base>, fields: F): Type<Base & DtoOf<F>>;
export function dtoOf(...given: [Fields] | [Type<object>, Fields]): Type<object> {
  const [base, fields] = given.length === 1 ? [Object, given[0]] : given;
  class Dto extends base {}
  for (const [name, { schema }] of Object.entries(fields)) ApiProperty(schema)(Dto.prototype, name);
  return Dto;
}
