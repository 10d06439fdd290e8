import type { Type } from '@nestjs/common';
import { DECORATORS, PartialType } from '@nestjs/swagger';

/**
 * Makes the body of an update from that of a creation: every field may be left out and has no default, because a field
 * that is left out keeps its value. Null is refused where the creation refuses it.
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
