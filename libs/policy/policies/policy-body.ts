import { readInput } from '#access';
import { BadRequestError } from '#core';
import { validateConditions, type OperatorRegistry } from '../decide/index.js';

/**
 * Validates a policy's body with its DTO, and `conditions` separately: each fault in them is reported with its own
 * path. Conditions are stored exactly as sent, with any keys. @throws BadRequestError naming every field at fault, in
 * both parts.
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
