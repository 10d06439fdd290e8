import type { ApiPropertyOptions } from '@nestjs/swagger';
import { BUILT_IN_REGISTRY, KNOWN_ATTRIBUTES } from '../decide/index.js';

/** Schema of `conditions` in the OpenAPI document. */
export const CONDITIONS_SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true, minProperties: 1 },
  description:
    'All of them must match: `{ <attribute>: { <operator>: <operand> } }`; `{}` matches every person. ' +
    `Attributes: ${KNOWN_ATTRIBUTES.join(', ')}. Operators: ${BUILT_IN_REGISTRY.names.join(', ')}, and those that ` +
    'the host registers. `not_in` and `not_eq` match if the attribute is missing.',
  example: { department: { not_in: ['Research', 'Engineering'] } },
} as const satisfies ApiPropertyOptions;
