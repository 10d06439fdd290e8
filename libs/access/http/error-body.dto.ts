import { ApiSchema } from '@nestjs/swagger';
import type { ErrorCode, FieldError } from '#core';
import * as f from './dto-fields.js';
import { dtoOf } from './dto.js';

const CODES: ErrorCode[] = [
  'bad_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'unavailable',
];

@ApiSchema({ name: 'GovernanceFieldErrorDto' })
class FieldErrorDto
  extends dtoOf({
    field: f.text('conditions.department.not_in', 'Path of the field in the body or query.'),
    message: f.text('must be a list of texts', 'The fault, and how to correct it.'),
  })
  implements FieldError {}

/** The body of every error response. */
@ApiSchema({ name: 'GovernanceErrorBodyDto' })
export class ErrorBodyDto extends dtoOf({
  error: f.choice(CODES, 'bad_request'),
  message: f.text('name: is required', 'One sentence that says what to do.'),
  details: f.listOf(FieldErrorDto, 'The faulty fields, if there are any.').optional(),
  details_omitted: f.integer(120, 'Number of further faults; at most 50 are listed.', { minimum: 1 }).optional(),
  request_id: f.text('0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e'),
}) {}
