import { DECORATORS } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** The type that a record's property must have for a field of a response. A time may also be a Date. */
type Stored<Shown> = Shown extends string
  ? Shown | Date
  : Shown extends readonly (infer Item)[]
    ? readonly Item[]
    : Shown;

/** A record with the fields of a response in camel case. Fields of `Own` are omitted. */
type Presentable<Dto, Own> = {
  readonly [Field in Exclude<keyof Dto, keyof Own> as CamelCase<Field>]: Stored<Dto[Field]>;
};

/**
 * Creates the function that converts a record to a response. It copies each documented field of the response class from
 * the property of the same name in camel case, with dates as ISO 8601. `own` computes the other fields. A field that
 * `own` returns as undefined is omitted.
 */
export function presenterOf<Dto extends object>(dto: Type<Dto>): (source: Presentable<Dto, object>) => Dto;
export function presenterOf<
  Dto extends object,
  Source extends Presentable<Dto, Own>,
  Own extends object,
  More extends unknown[],
>(dto: Type<Dto>, own: (source: Source, ...more: More) => Own & Partial<Dto>): (source: Source, ...more: More) => Dto;
export function presenterOf<Dto extends object>(
  dto: Type<Dto>,
  own: (source: object, ...more: unknown[]) => object = () => ({}),
): (source: object, ...more: unknown[]) => Dto {
  // Swagger stores the names of documented properties as `:name`.
  const noted = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, dto.prototype) as string[];
  const fields = noted.map(name => name.slice(1)).map(field => ({ field, property: camelCase(field) }));
  return (source, ...more) => {
    const given = own(source, ...more);
    const shown: Record<string, unknown> = {};
    for (const { field, property } of fields) {
      const value: unknown = field in given ? Reflect.get(given, field) : (Reflect.get(source, property) ?? null);
      shown[field] = value instanceof Date ? value.toISOString() : value;
    }
    // Together, `source` and `own` contain every field, according to their types.
    return shown as Dto;
  };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
