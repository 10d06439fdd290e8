import { applyDecorators } from '@nestjs/common';
import { ApiSchema } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  CheckedField,
  ChoiceField,
  dtoOf,
  f,
  IgnoresReadOnly,
  PageQueryDto,
  TextField,
  type FieldOptions,
} from '#access';
import { ownAttributesDefect, OWN_ATTRIBUTES_MAX } from '../own-attributes.js';
import { EMAIL_MAX_LENGTH, emailDefect } from '../email-address.js';
import { DEFAULT_USER_ROLE, type SuspensionCause } from '../user.entity.js';
import { USER_ORDERS } from '../user-list.service.js';
import type { JsonObject, UserStatus } from '#core';

const STATUSES = ['active', 'inactive', 'suspended'] as const satisfies readonly UserStatus[];
const STATUS_MEANING = 'Suspended: LLM access was revoked.';
const ATTRIBUTES_MEANING =
  "The organization's own attributes, one level deep; conditions name them as `attributes.<key>`.";
const READ_ONLY = [
  'id',
  'org_id',
  'suspension_causes',
  'suspended_at',
  'departure_date',
  'departs_at',
  'departure_reason',
  'last_active_at',
  // Fields that only the answer to an offboarding has.
  'machine_tokens',
  'machine_tokens_total',
  'created_at',
  'updated_at',
] as const;

/** A user as the API shows it (interface specification, section 2.3). */
@ApiSchema({ name: 'GovernanceUserResponseDto' })
export class UserResponseDto extends dtoOf({
  id: f.uuid('0199c2a8-6b1e-7d10-8c52-1f0a7e9d4b33'),
  org_id: f.uuid('0199c2a8-5f10-7c3e-9a41-3f5d8e2b7c60'),
  email: f.text('ada@example.com', undefined, { maxLength: EMAIL_MAX_LENGTH }),
  name: f.text('Ada Example', undefined, { maxLength: 255 }),
  department: f.text('Engineering', undefined, { maxLength: 255 }).nullable(),
  role: f.text('member', 'Role in the organization, as the organization names it. Not a role of access tokens.', {
    maxLength: 64,
  }),
  status: f.choice(STATUSES, 'active', STATUS_MEANING),
  suspension_causes: f.choices<SuspensionCause>(
    ['offboarding', 'scim'],
    [],
    'Causes of the suspension; empty unless suspended.',
  ),
  suspended_at: f.instant(null, 'Null unless suspended.').nullable(),
  departure_date: f
    .text(
      '2026-12-31',
      'Departure date as given: `YYYY-MM-DD` or a time. Null if none was given, and when users read their own record.',
    )
    .nullable(),
  departs_at: f
    .instant(
      '2026-12-30T23:00:00.000Z',
      "The instant of `departure_date`. A day begins in the organization's time zone.",
    )
    .nullable(),
  departure_reason: f.text('End of contract', 'Reason of the departure.', { maxLength: 255 }).nullable(),
  attributes: f.record<JsonObject>({ level: 7 }, ATTRIBUTES_MEANING),
  last_active_at: f
    .instant('2026-11-20T12:59:03.000Z', 'Most recent LLM activity; null if none is recorded.')
    .nullable(),
  created_at: f.instant('2026-11-02T08:00:00.000Z'),
  updated_at: f.instant('2026-11-02T08:00:00.000Z'),
}) {}

/** Body to create a user. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceCreateUserDto' })
export class CreateUserDto {
  @EmailField()
  email!: string;

  @TextField({ max: 255, example: 'Ada Example' })
  name!: string;

  @TextField({ max: 255, optional: true, nullable: true, example: 'Engineering' })
  department?: string | null;

  @TextField({ max: 64, optional: true, default: DEFAULT_USER_ROLE, example: 'member' })
  role?: string;

  @ChoiceField(['active', 'inactive'], { optional: true, default: 'active', example: 'active' })
  status?: 'active' | 'inactive';

  @OwnAttributesField()
  attributes?: JsonObject;
}

/** Body to change a user. Missing fields stay unchanged. */
@IgnoresReadOnly(...READ_ONLY)
@ApiSchema({ name: 'GovernanceUpdateUserDto' })
export class UpdateUserDto {
  @EmailField({ optional: true })
  email?: string;

  @TextField({ max: 255, optional: true, example: 'Ada Example' })
  name?: string;

  @TextField({ max: 255, optional: true, nullable: true, example: 'Engineering' })
  department?: string | null;

  @TextField({ max: 64, optional: true, example: 'member' })
  role?: string;

  @ChoiceField(STATUSES, {
    optional: true,
    description: 'Either active or inactive. To suspend a user, offboard the user.',
    example: 'inactive',
  })
  status?: UserStatus;

  @OwnAttributesField()
  attributes?: JsonObject;
}

/** Filters of the user list. */
export class ListUsersQueryDto extends PageQueryDto {
  @ChoiceField(STATUSES, { optional: true, description: 'Only users of this status.' })
  status?: UserStatus;

  @TextField({ max: 255, optional: true, description: 'Only users of the department with this exact name.' })
  department?: string;

  @TextField({
    max: 255,
    optional: true,
    description: 'Only users whose name or e-mail address contains this text, compared without case.',
  })
  q?: string;

  @ChoiceField(USER_ORDERS, {
    optional: true,
    default: 'name',
    description:
      'Order: by name, or by the most recent activity (`last_active_at`). With `-`, descending. Users without activity ' +
      'count as the earliest.',
  })
  sort?: (typeof USER_ORDERS)[number];
}

function EmailField(options: FieldOptions = {}): PropertyDecorator {
  const schema = { type: String, format: 'email', maxLength: EMAIL_MAX_LENGTH };
  return CheckedField(
    { description: 'Unique in the organization, compared without case.', example: 'ada@example.com', ...options },
    schema,
    emailDefect,
  );
}

function OwnAttributesField(): PropertyDecorator {
  return applyDecorators(
    CheckedField(
      { optional: true, description: `${ATTRIBUTES_MEANING} Replaced as a whole.`, example: { level: 7 } },
      { type: 'object', additionalProperties: true, maxProperties: OWN_ATTRIBUTES_MAX },
      ownAttributesDefect,
    ),
    // The value must not be transformed. By default, class-transformer would transform it recursively, drop keys such
    // as "toString" and throw on "constructor". With the type Boolean, it does not look inside the value.
    Type(() => Boolean),
    Transform(({ obj }: { obj: { attributes?: unknown } }) => obj.attributes),
  );
}
