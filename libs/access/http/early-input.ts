import type { Type } from '@nestjs/common';
import { readInput } from './input.pipe.js';

// Nest's metadata key of handler parameters, and its numbers for body and query. Nest has no public API for them.
// test/architecture/early-input.spec.ts fails if a new version of Nest changes them.
const ROUTE_ARGUMENTS = '__routeArguments__';
const SOURCES = { 3: 'body', 4: 'query' } as const;

type Source = (typeof SOURCES)[keyof typeof SOURCES];
type Dto = new () => object;

const known = new WeakMap<object, [Source, Dto][]>();

/**
 * Reads body and query into the handler's DTOs before any pipe runs. Otherwise a global ValidationPipe of the host
 * would run first, and silently drop unknown fields that this package must refuse. The host's pipe does not change a
 * valid DTO.
 */
export function readEarly(request: object, controller: Type<unknown>, handler: { name: string }): void {
  for (const [source, type] of inputsOf(controller, handler)) {
    const value = readInput(type, Reflect.get(request, source), source);
    // In Express 5, `query` is a getter and cannot be assigned.
    Object.defineProperty(request, source, { value, writable: true, configurable: true, enumerable: true });
  }
}

/** The classes into which a handler reads body and query. */
export function inputsOf(controller: Type<unknown>, handler: { name: string }): [Source, Dto][] {
  const found = known.get(handler);
  if (found) return found;
  const types: unknown = Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name);
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGUMENTS, controller, handler.name);
  const dtos = Object.entries(parameters ?? {}).flatMap(([key, parameter]: [string, unknown]): [Source, Dto][] => {
    const source: Source | undefined = Reflect.get(SOURCES, key.split(':')[0] ?? '');
    const { index, data } = Object(parameter) as { index?: number; data?: unknown };
    const type: unknown = Array.isArray(types) && index !== undefined ? types[index] : undefined;
    // Leaves `@Query('name')` and parameters without a class to the handler.
    if (!source || data !== undefined || typeof type !== 'function' || type === Object || type === String) return [];
    return [[source, type as Dto]];
  });
  known.set(handler, dtos);
  return dtos;
}
