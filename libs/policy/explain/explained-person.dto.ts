import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { ExplainedDevice, ExplainedPerson } from './explanation.js';

/** Who asks in the API reference. */
export const PERSON_EXAMPLE: ExplainedPerson = {
  user_id: '019aa0f1-5d20-7c11-a4be-2f3e9b7d6c58',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  department: 'Sales',
  role: 'member',
  status: 'active',
  attributes: { level: 3 },
};

/** A device in the API reference. */
export const DEVICE_EXAMPLE: ExplainedDevice = { id: '019aa0f4-2b18-7d20-8c55-90d4f1a3b6e7', status: 'active' };

/** Who asked. */
@ApiSchema({ name: 'GovernanceExplainedPersonDto' })
export class ExplainedPersonDto implements ExplainedPerson {
  @ApiProperty({ type: String, nullable: true, example: PERSON_EXAMPLE.user_id })
  user_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: PERSON_EXAMPLE.email })
  email!: string | null;

  @ApiProperty({ type: String, nullable: true, example: PERSON_EXAMPLE.name })
  name!: string | null;

  @ApiProperty({ type: String, nullable: true, example: PERSON_EXAMPLE.department })
  department!: string | null;

  @ApiProperty({ type: String, nullable: true, example: PERSON_EXAMPLE.role })
  role!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Null if the directory did not know the person.',
    example: PERSON_EXAMPLE.status,
  })
  status!: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'The organization’s own attributes, and further ones of the request.',
    example: PERSON_EXAMPLE.attributes,
  })
  attributes!: Readonly<Record<string, unknown>>;
}

/** The device that they named. */
@ApiSchema({ name: 'GovernanceExplainedDeviceDto' })
export class ExplainedDeviceDto implements ExplainedDevice {
  @ApiProperty({ example: DEVICE_EXAMPLE.id })
  id!: string;

  @ApiProperty({ description: 'The value of `device_status` in conditions.', example: DEVICE_EXAMPLE.status })
  status!: string;
}
