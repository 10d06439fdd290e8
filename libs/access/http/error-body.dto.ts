import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import type { ErrorCode, FieldError } from '#core';

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
class FieldErrorDto implements FieldError {
  @ApiProperty({ description: 'Path of the field in the body or query.', example: 'conditions.department.not_in' })
  field!: string;

  @ApiProperty({ description: 'The fault, and how to correct it.', example: 'must be a list of texts' })
  message!: string;
}

/** The body of every error, for the API reference. */
@ApiSchema({ name: 'GovernanceErrorBodyDto' })
export class ErrorBodyDto {
  @ApiProperty({ enum: CODES, example: 'bad_request' })
  error!: ErrorCode;

  @ApiProperty({ description: 'One sentence that says what to do.', example: 'name: is required' })
  message!: string;

  @ApiPropertyOptional({ type: [FieldErrorDto], description: 'The faulty fields, if there are any.' })
  details?: FieldErrorDto[];

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    description: 'Number of further faults; at most 50 are listed.',
    example: 120,
  })
  details_omitted?: number;

  @ApiProperty({ example: '0f0b7f0e-9a3b-4c59-9b25-6a3b9f2f6f9e' })
  request_id!: string;
}
