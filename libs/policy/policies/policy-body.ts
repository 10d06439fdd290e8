import { readInput } from '#access';
import { BadRequestError } from '#core';
import { validateConditions, type OperatorRegistry } from '../decide/index.js';

/**
 * Reads a policy's body by its DTO, and `conditions` apart from it: each fault in them has a path of its own, and they
 * reach the store exactly as they came, whatever their keys are called.
 * @throws BadRequestError naming every field at fault, also where both parts have some.
 */
export function readPolicyBody<T extends { conditions?: unknown }>(
  type: new () => T,
  body: unknown,
  operators: OperatorRegistry,
): T {
  if (typeof body !== 'object' || body === null || !('conditions' in body)) return readInput(type, body, 'body');
  const { conditions, ...rest } = body;
  const faults = validateConditions(conditions, operators);
  try {
    const dto = readInput(type, rest, 'body');
    if (faults.length === 0) return Object.assign(dto, { conditions });
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    faults.unshift(...(error.details ?? []));
  }
  throw BadRequestError.fields(faults);
}
