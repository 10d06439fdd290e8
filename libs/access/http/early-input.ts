import type { Type } from '@nestjs/common';
import { readInput } from './input.pipe.js';

// Where Nest keeps the parameters of a handler, and its numbers for a body and a query. Nest has no public way to ask for
// them; test/architecture/early-input.spec.ts fails where another version of Nest keeps them elsewhere.
const ROUTE_ARGUMENTS = '__routeArguments__';
const SOURCES = { 3: 'body', 4: 'query' } as const;

type Source = (typeof SOURCES)[keyof typeof SOURCES];
type Dto = new () => object;

const known = new WeakMap<object, [Source, Dto][]>();

/**
 * Reads body and query into the DTOs of the handler before any pipe runs: a host's global ValidationPipe comes first
 * otherwise, and drops unknown fields that must be refused. What it is handed here is valid, so it changes nothing.
 */
export function readEarly(request: object, controller: Type<unknown>, handler: { name: string }): void {
  for (const [source, type] of inputsOf(controller, handler)) {
    const value = readInput(type, Reflect.get(request, source), source);
    // On Express 5 `query` is a getter.
    Object.defineProperty(request, source, { value, writable: true, configurable: true, enumerable: true });
  }
}

/** The classes that a handler reads body and query into. */
export function inputsOf(controller: Type<unknown>, handler: { name: string }): [Source, Dto][] {
  const found = known.get(handler);
  if (found) return found;
  const types: unknown = Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name);
  const parameters: unknown = Reflect.getMetadata(ROUTE_ARGUMENTS, controller, handler.name);
  const dtos = Object.entries(parameters ?? {}).flatMap(([key, parameter]: [string, unknown]): [Source, Dto][] => {
    const source: Source | undefined = Reflect.get(SOURCES, key.split(':')[0] ?? '');
    const { index, data } = Object(parameter) as { index?: number; data?: unknown };
    const type: unknown = Array.isArray(types) && index !== undefined ? types[index] : undefined;
    // `@Query('name')` and parameters without a class of their own are the handler's business.
    if (!source || data !== undefined || typeof type !== 'function' || type === Object || type === String) return [];
    return [[source, type as Dto]];
  });
  known.set(handler, dtos);
  return dtos;
}
