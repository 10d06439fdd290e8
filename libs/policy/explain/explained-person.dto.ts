import { ApiSchema } from '@nestjs/swagger';
import { dtoOf, f } from '#access';
import type { ExplainedDevice, ExplainedPerson } from './explanation.js';

/** Example of a person in the API reference. */
export const PERSON_EXAMPLE: ExplainedPerson = {
  user_id: '019aa0f1-5d20-7c11-a4be-2f3e9b7d6c58',
  email: 'ada@example.com',
  name: 'Ada Lovelace',
  department: 'Sales',
  role: 'member',
  status: 'active',
  attributes: { level: 3 },
};

/** Example of a device in the API reference. */
export const DEVICE_EXAMPLE: ExplainedDevice = { id: '019aa0f4-2b18-7d20-8c55-90d4f1a3b6e7', status: 'active' };

/** The person of the request. */
@ApiSchema({ name: 'GovernanceExplainedPersonDto' })
export class ExplainedPersonDto
  extends dtoOf({
    user_id: f.text(PERSON_EXAMPLE.user_id).nullable(),
    email: f.text(PERSON_EXAMPLE.email).nullable(),
    name: f.text(PERSON_EXAMPLE.name).nullable(),
    department: f.text(PERSON_EXAMPLE.department).nullable(),
    role: f.text(PERSON_EXAMPLE.role).nullable(),
    status: f.text(PERSON_EXAMPLE.status, 'Null if the directory did not know the person.').nullable(),
    attributes: f.record<Readonly<Record<string, unknown>>>(
      PERSON_EXAMPLE.attributes,
      'The organization’s own attributes, and further ones of the request.',
    ),
  })
  implements ExplainedPerson {}

/** The device in the request. */
@ApiSchema({ name: 'GovernanceExplainedDeviceDto' })
export class ExplainedDeviceDto
  extends dtoOf({
    id: f.text(DEVICE_EXAMPLE.id),
    status: f.text(DEVICE_EXAMPLE.status, 'The value of `device_status` in conditions.'),
  })
  implements ExplainedDevice {}
