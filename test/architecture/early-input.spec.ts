import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { CORE, LIBRARIES } from '../../libs/governance/composition/libraries.js';
import { inputsOf } from '../../libs/access/http/early-input.js';

/**
 * The handlers of all routes. Each entry contains the input classes among the handler's parameters, which come from
 * TypeScript's type metadata.
 */
const HANDLERS = [...CORE, ...LIBRARIES]
  .flatMap(({ library }) => library.controllers)
  .flatMap(controller => methodsOf(controller).map(handler => ({ controller, handler })))
  .map(({ controller, handler }) => {
    const types: unknown = Reflect.getMetadata('design:paramtypes', controller.prototype, handler.name);
    const inputs = (Array.isArray(types) ? types : []).filter(isInput);
    return { controller, handler, inputs };
  })
  .filter(({ inputs }) => inputs.length > 0);

function methodsOf(controller: Type<unknown>): { name: string }[] {
  const prototype = controller.prototype as object;
  return Object.getOwnPropertyNames(prototype)
    .filter(name => name !== 'constructor')
    .map(name => Reflect.get(prototype, name) as unknown)
    .filter(method => typeof method === 'function');
}

/** Whether a class has validation rules for its fields. */
function isInput(type: unknown): boolean {
  if (typeof type !== 'function') return false;
  return getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;
}

describe('input that is read before the pipes of a host', () => {
  it('is found for each handler, in the metadata that the installed version of Nest stores for parameters', () => {
    expect(HANDLERS.length).toBeGreaterThan(40);
    const overlooked = HANDLERS.filter(({ controller, handler, inputs }) => {
      const found = new Set<unknown>(inputsOf(controller, handler).map(([, type]) => type));
      return !inputs.every(type => found.has(type));
    }).map(({ controller, handler }) => `${controller.name}.${handler.name}`);
    // A handler in this list has an input class that libs/access/http/early-input.ts does not find, for example because
    // Nest stores the parameters elsewhere. A global ValidationPipe of a host would then drop unknown fields of the
    // input, which must be refused.
    expect(overlooked).toEqual([]);
  });
});
