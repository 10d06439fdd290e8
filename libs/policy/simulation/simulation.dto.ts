import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { CheckedField, IntegerField, UuidField } from '#access';
import { UpdatePolicyDto } from '../policies/policy.dto.js';
import { SIMULATION_DAYS } from './policy-simulator.js';

// `policy` is validated elsewhere, with the rules of policies.
const anObject = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';

/** Body of `POST /v1/policies/simulate`. */
@ApiExtraModels(UpdatePolicyDto)
@ApiSchema({ name: 'GovernanceSimulationRequestDto' })
export class SimulationRequestDto {
  @CheckedField(
    {
      description:
        'The draft, with the fields of `POST /v1/policies`. With policy_id, send only the fields that differ: `{ ' +
        '"enabled": false }` tests the removal of the stored policy.',
    },
    { allOf: [{ $ref: getSchemaPath(UpdatePolicyDto) }] },
    anObject,
  )
  policy!: Record<string, unknown>;

  @UuidField({
    optional: true,
    description: 'The stored policy that the draft replaces. If left out, the draft is added to the current policies.',
  })
  policy_id?: string;

  @IntegerField({
    min: 1,
    max: SIMULATION_DAYS.max,
    optional: true,
    default: SIMULATION_DAYS.default,
    description: 'Number of days to look back.',
    example: 7,
  })
  days?: number;
}
