import { readInput } from '#access';
import { BadRequestError } from '#core';
import type { OperatorRegistry } from '../decide/index.js';
import { readPolicyBody } from '../policies/policy-body.js';
import { CreatePolicyDto, UpdatePolicyDto } from '../policies/policy.dto.js';
import type { SimulationRequest } from './policy-simulator.js';
import { SimulationRequestDto } from './simulation.dto.js';

/**
 * Validates the body of a simulation. `policy` may contain read-only fields of a stored policy.
 * @throws BadRequestError naming every invalid field; those of the policy as `policy.<field>`
 */
export function readSimulationBody(body: unknown, operators: OperatorRegistry): SimulationRequest {
  const { policy, policy_id, days } = readInput(SimulationRequestDto, body, 'body');
  const type = policy_id === undefined ? CreatePolicyDto : UpdatePolicyDto;
  try {
    return {
      draft: readPolicyBody<CreatePolicyDto | UpdatePolicyDto>(type, policy, operators),
      policyId: policy_id?.toLowerCase(),
      days,
    };
  } catch (error) {
    if (!(error instanceof BadRequestError) || !error.details) throw error;
    throw BadRequestError.fields(error.details.map(({ field, message }) => ({ field: `policy.${field}`, message })));
  }
}
