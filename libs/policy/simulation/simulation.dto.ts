import { ApiExtraModels, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { CheckedField, IntegerField, UuidField } from '#access';
import { UpdatePolicyDto } from '../policies/policy.dto.js';
import { SIMULATION_DAYS } from './policy-simulator.js';

// Checked apart, by the rules of the policies themselves.
const anObject = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? undefined : 'must be an object';

/** Body of `POST /v1/policies/simulate`. */
@ApiExtraModels(UpdatePolicyDto)
@ApiSchema({ name: 'GovernanceSimulationRequestDto' })
export class SimulationRequestDto {
  @CheckedField(
    {
      description:
        'The policy to be tried, as in creating one. With policy_id, only what is to differ: `{ "enabled": false }` takes ' +
        'the stored one out.',
    },
    { allOf: [{ $ref: getSchemaPath(UpdatePolicyDto) }] },
    anObject,
  )
  policy!: Record<string, unknown>;

  @UuidField({ optional: true, description: 'The stored policy whose place it takes; left out, it comes in addition.' })
  policy_id?: string;

  @IntegerField({
    min: 1,
    max: SIMULATION_DAYS.max,
    optional: true,
    default: SIMULATION_DAYS.default,
    description: 'How many days back.',
    example: 7,
  })
  days?: number;
}
