import type { Type } from '@nestjs/common';
import { DECORATORS, PartialType } from '@nestjs/swagger';

/**
 * Derives the body of an update from the body of a creation. All fields are optional and have no defaults, because a
 * missing field keeps its stored value. Null is refused unless the creation allows it.
 */
export function partialOf<Dto extends object>(type: Type<Dto>): Type<Partial<Dto>> {
  const partial = PartialType(type, { skipNullProperties: false });
  const prototype: object = partial.prototype;
  const noted = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, prototype) as string[];
  for (const name of noted.map(field => field.slice(1))) {
    const { default: _, ...schema } = Reflect.getMetadata(
      DECORATORS.API_MODEL_PROPERTIES,
      prototype,
      name,
    ) as object & {
      default?: unknown;
    };
    Reflect.defineMetadata(DECORATORS.API_MODEL_PROPERTIES, schema, prototype, name);
  }
  return partial;
}
