import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { CheckedField, IntegerField, TextField } from '../http/field.decorators.js';
import { IgnoresReadOnly } from '../http/input.pipe.js';
import { presenterOf } from '../http/presenter.js';
import { knownTimeZone } from '../organizations/time-zone.js';

const FISCAL = 'Month in which the fiscal year begins: quarterly and yearly budgets begin with it.';

/** An organization on the wire. */
@ApiSchema({ name: 'GovernanceOrganizationResponseDto' })
export class OrganizationResponseDto {
  @ApiProperty({ format: 'uuid', example: '0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60' })
  id!: string;

  @ApiProperty({ maxLength: 255, example: 'Example Corp' })
  name!: string;

  @ApiProperty({ description: 'IANA time zone in which budget periods begin.', example: 'Europe/Berlin' })
  time_zone!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: 365,
    description: 'Longest life in days of a token that a person creates by a sign-in (JWT or host).',
    example: 90,
  })
  sign_in_token_max_days!: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 12, description: FISCAL, example: 1 })
  fiscal_year_first_month!: number;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T13:00:00.000Z' })
  created_at!: string;
}

/** Changes to the caller's organization; only what is given changes. */
@IgnoresReadOnly('id', 'org_id', 'created_at', 'updated_at')
@ApiSchema({ name: 'GovernanceUpdateOrganizationDto' })
export class UpdateOrganizationDto {
  @TextField({ max: 255, optional: true, example: 'Example Corp' })
  name?: string;

  @CheckedField({ optional: true, example: 'Europe/Berlin' }, { type: String }, value =>
    knownTimeZone(value) === undefined ? 'must be an IANA time zone, such as Europe/Berlin' : undefined,
  )
  time_zone?: string;

  @IntegerField({
    min: 1,
    max: 365,
    optional: true,
    description: 'Longest life in days of a token that a person creates by a sign-in (JWT or host).',
    example: 30,
  })
  sign_in_token_max_days?: number;

  @IntegerField({ min: 1, max: 12, optional: true, description: FISCAL, example: 4 })
  fiscal_year_first_month?: number;
}

export const presentOrganization = presenterOf(OrganizationResponseDto);
