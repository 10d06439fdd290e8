import { DECORATORS } from '@nestjs/swagger';
import type { Type } from '@nestjs/common';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/** What a record may have for a field of a response: an instant may be a date. */
type Stored<Shown> = Shown extends string
  ? Shown | Date
  : Shown extends readonly (infer Item)[]
    ? readonly Item[]
    : Shown;

/** A record with the fields of a response under their names in camel case, but for those of `Own`. */
type Presentable<Dto, Own> = {
  readonly [Field in Exclude<keyof Dto, keyof Own> as CamelCase<Field>]: Stored<Dto[Field]>;
};

/**
 * Makes the function that shows a record as the API does. The fields are those that the response class documents, in
 * their order: each is the property of its name in camel case, a date as ISO 8601. `own` gives the fields that are
 * anything else; what it gives as undefined is left out.
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
  // Swagger notes the documented properties as `:name`.
  const noted = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, dto.prototype) as string[];
  const fields = noted.map(name => name.slice(1)).map(field => ({ field, property: camelCase(field) }));
  return (source, ...more) => {
    const given = own(source, ...more);
    const shown: Record<string, unknown> = {};
    for (const { field, property } of fields) {
      const value: unknown = field in given ? Reflect.get(given, field) : (Reflect.get(source, property) ?? null);
      shown[field] = value instanceof Date ? value.toISOString() : value;
    }
    // The types of `source` and `own` have every field between them.
    return shown as Dto;
  };
}

function camelCase(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
