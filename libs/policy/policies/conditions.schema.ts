import type { ApiPropertyOptions } from '@nestjs/swagger';
import { BUILT_IN_REGISTRY, KNOWN_ATTRIBUTES } from '../decide/index.js';

/** `conditions` in the OpenAPI document. */
export const CONDITIONS_SCHEMA = {
  type: 'object',
  additionalProperties: { type: 'object', additionalProperties: true, minProperties: 1 },
  description:
    'All of them must match: `{ <attribute>: { <operator>: <operand> } }`; `{}` matches everybody. ' +
    `Attributes: ${KNOWN_ATTRIBUTES.join(', ')}. Operators: ${BUILT_IN_REGISTRY.names.join(', ')}, and those of the ` +
    'installation. A missing attribute is in no array, so `not_in` and `not_eq` match it.',
  example: { department: { not_in: ['Research', 'Engineering'] } },
} as const satisfies ApiPropertyOptions;
