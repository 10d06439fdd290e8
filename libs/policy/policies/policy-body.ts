import { readInputApart } from '#access';
import { validateConditions, type Conditions, type OperatorRegistry } from '../decide/index.js';

/**
 * Validates a policy's body with its DTO. Each error in `conditions` is reported with its own path. Conditions are
 * stored exactly as sent, with any keys.
 * @throws BadRequestError naming every invalid field
 */
export function readPolicyBody<T extends { conditions?: Conditions }>(
  type: new () => T,
  body: unknown,
  operators: OperatorRegistry,
): T {
  return readInputApart(type, body, 'conditions', value => validateConditions(value, operators));
}
