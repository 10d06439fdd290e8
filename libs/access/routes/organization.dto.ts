import { ApiSchema } from '@nestjs/swagger';
import * as f from '../http/dto-fields.js';
import { dtoOf } from '../http/dto.js';
import { CheckedField, IntegerField, TextField } from '../http/field.decorators.js';
import { IgnoresReadOnly } from '../http/input.pipe.js';
import { presenterOf } from '../http/presenter.js';
import { knownTimeZone } from '../organizations/time-zone.js';

const FISCAL = 'Month in which the fiscal year begins: quarterly and yearly budgets begin with it.';

/** An organization as the API shows it. */
@ApiSchema({ name: 'GovernanceOrganizationResponseDto' })
export class OrganizationResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  name: f.text('Example Corp', undefined, { maxLength: 255 }),
  time_zone: f.text('Europe/Berlin', 'IANA time zone in which budget periods begin.'),
  sign_in_token_max_days: f.integer(
    90,
    'Longest life in days of a token that a person creates by a sign-in (JWT or host).',
    { minimum: 1, maximum: 365 },
  ),
  fiscal_year_first_month: f.integer(1, FISCAL, { minimum: 1, maximum: 12 }),
  created_at: f.instant('2026-11-20T13:00:00.000Z'),
}) {}

/** Body of `PATCH /v1/organization`: only the supplied fields change. */
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
